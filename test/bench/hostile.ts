/** Datagrams that nobody means well with: the same in every run. */
import dnsPacket from 'dns-packet';

const COUNT = 10_000;

export function hostile(): Buffer[] {
  const sound = dnsPacket.encode({
    type: 'query',
    questions: [{ name: '_pdl-datastream._tcp.local', type: 'PTR' }],
    answers: Array.from({ length: 12 }, (_, index) => ({
      name: '_pdl-datastream._tcp.local',
      type: 'PTR' as const,
      ttl: 4500,
      data: `printer ${index}._pdl-datastream._tcp.local`,
    })),
  });
  return Array.from({ length: COUNT }, (_, index) => {
    const bytes = Buffer.from(sound);
    // Cut short, counts that lie, pointers to anywhere, and one in five left as it is.
    if (index % 5 === 0) return bytes.subarray(0, 12 + (index % (bytes.length - 12)));
    if (index % 5 === 1) bytes.writeUInt16BE((index * 7 + 13) % 65_536, 6);
    if (index % 5 === 2) bytes.writeUInt16BE(0xc000 | (index % bytes.length), 12 + (index % (bytes.length - 14)));
    if (index % 5 === 3) bytes.fill(index % 256, 12 + (index % 200));
    return bytes;
  });
}
