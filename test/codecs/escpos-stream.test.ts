import { describe, expect, it } from 'vitest';
import { EscposStream, type StreamOptions } from '../../codecs/escpos-stream.ts';
import { freshMode } from '../../codecs/escpos-tokenizer.ts';
import vectors from '../spec/escpos-filter.json' with { type: 'json' };

const PASSIVE: StreamOptions = { takeStatus: false, realtimePulseDisable: false, pulseOnBel: false };
const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));

/** One connection: what the printer got before and after it ended, and what was reported, in order. */
function connection(options: Partial<StreamOptions> = {}, mode = freshMode()) {
  const stream = new EscposStream({ ...PASSIVE, ...options }, mode);
  const told: string[] = [];
  let out = '';
  const sink = {
    forward: (part: Uint8Array) => {
      out += Buffer.from(part).toString('hex');
    },
    status: (n: number, a?: number) => void told.push(a === undefined ? `status ${n}` : `status ${n} ${a}`),
    dropped: (what: string) => void told.push(what),
  };
  const spaced = (hex: string) => hex.replace(/..(?=.)/g, '$& ');
  return {
    stream,
    told,
    push: (hex: string) => stream.push(bytes(hex), sink),
    end: () => stream.end(sink),
    /** What came out since this was last asked. */
    out: () => {
      const since = out;
      out = '';
      return spaced(since);
    },
  };
}
const filter = (hex: string, options: Partial<StreamOptions> = {}) => {
  const { push, out, told } = connection(options);
  push(hex);
  return { out: out(), told };
};

describe('the drawer filter', () => {
  it.each(vectors)('$name: $why', ({ input, output, dropped }) => {
    const result = filter(input);
    expect(result.out).toBe(output);
    expect(result.told).toHaveLength(dropped);
  });

  it('drops power-off and buffer clear', () => {
    expect(filter('41 1014020108 42 10140801031401060208 43')).toEqual({
      out: '41 42 43',
      told: ['realtime', 'realtime'],
    });
  });

  it('passes the other real-time commands', () => {
    const others = '10 05 02 10 14 07 01 10 14 03 01 02 03 04 05';
    expect(filter(others)).toEqual({ out: others, told: [] });
  });

  it('drops GS ( D that enables a real-time command, and passes one that disables', () => {
    const disable = '1d 28 44 05 00 14 01 00 02 30';
    expect(filter(`1d28440300 140101 ${disable} 1d28440500 1402000131 41`)).toEqual({
      out: `${disable} 41`,
      told: ['realtime', 'realtime'],
    });
  });

  it('sends GS ( D after each ESC @ to a printer that has it', () => {
    const { out } = filter('1b40 41 1b40', { realtimePulseDisable: true });
    expect(out).toBe('1b 40 1d 28 44 03 00 14 01 00 41 1b 40 1d 28 44 03 00 14 01 00');
  });

  it('drops BEL where it opens the drawer, but not inside a payload', () => {
    expect(filter('41 07 1d284b0200 0707 07', { pulseOnBel: true })).toEqual({
      out: '41 1d 28 4b 02 00 07 07',
      told: ['pulse', 'pulse'],
    });
    expect(filter('41 07').out).toBe('41 07');
  });
});

describe('DLE EOT', () => {
  it('is taken out and reported in order, with its parameter', () => {
    const { out, told } = filter('41 100401 1b7000 0a0a 100407 01 42', { takeStatus: true });
    expect({ out, told }).toEqual({ out: '41 42', told: ['status 1', 'pulse', 'status 7 1'] });
  });

  it('is not looked for inside a payload', () => {
    expect(filter('1d284b0300 100401', { takeStatus: true })).toEqual({ out: '1d 28 4b 03 00 10 04 01', told: [] });
  });

  it('leaves no two halves that make a pulse when it is taken out', () => {
    expect(filter('10 14 100401 01 00 01', { takeStatus: true }).out).toBe('10 14 00 01 00 01');
  });
});

describe('DLE DC4 1 inside a payload', () => {
  it.each(['1d284b0500 41 10140101', '1d763000 0500 0100 41 10140101', '1c710101000100 0000 10140101 0000'])(
    'loses its first byte in %s, wherever the chunks are cut',
    (hex) => {
      const whole = hex.replaceAll(' ', '');
      const wanted = filter(whole).out;
      expect(wanted).toContain('00 14 01 01');
      for (let cut = 2; cut < whole.length; cut += 2) {
        const { push, out } = connection();
        push(whole.slice(0, cut));
        push(whole.slice(cut));
        expect(out()).toBe(wanted);
      }
    },
  );

  it('that ends after the payload loses the byte that ends it: the payload was sent already', () => {
    expect(filter('1d284b0100 10 14010001').out).toBe('1d 28 4b 01 00 10 14 00 00 01');
    expect(filter('1d284b0200 1014 01').out).toBe('1d 28 4b 02 00 10 14 00');
  });

  it('that begins in the header loses the byte that ends it: the count stays', () => {
    expect(filter('1d763000 0100 1014 01').out).toBe('1d 76 30 00 01 00 10 14 00');
  });

  it('that is the whole count costs the command and its payload', () => {
    const payload = '41'.repeat(0x11410);
    expect(filter(`42 1d384c10140100 ${payload} 43`).out).toBe('42 43');
  });

  it('holds back no more than two bytes, and never the last of a payload', () => {
    const { push, out } = connection();
    push('1d284b0400 41 10');
    expect(out()).toBe('1d 28 4b 04 00 41');
    push('41 10');
    expect(out()).toBe('10 41 10');
  });
});
