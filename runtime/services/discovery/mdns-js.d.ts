/** What is used of mdns-js 1.0.3, which has no types. */
declare module 'mdns-js/lib/advertisement.js' {
  import type { ServiceType } from 'mdns-js/lib/service_type.js';

  /** A packet as the state machine hands it over; it is never written to the wire. */
  interface MachinePacket {
    readonly header: { readonly qr: 0 | 1 };
    readonly answer: readonly { readonly ttl: number }[];
  }
  interface Networking {
    on(event: 'packets', listener: unknown): void;
    addUsage(user: unknown, ready: () => void): void;
    send(packet: MachinePacket, done?: () => void): void;
    stop(): void;
  }
  class Advertisement {
    /** 0 to 2: that many probes sent; 3: announced; 4: another name is wanted. */
    status: number;
    /** '' for the name as given, then '1', '2'. */
    nameSuffix: string;
    constructor(
      networking: Networking,
      type: ServiceType,
      port: number,
      options: { readonly name: string; readonly host: string; readonly txt: object },
    );
    start(): void;
    stop(done?: () => void): void;
  }
  export default Advertisement;
}

declare module 'mdns-js/lib/service_type.js' {
  class ServiceType {
    constructor(name: string);
    toString(): string;
  }
  const types: { readonly ServiceType: typeof ServiceType };

  export { ServiceType };
  export default types;
}
