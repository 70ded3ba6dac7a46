/** Types for the used parts of mdns-js 1.0.3, which has none. */
declare module 'mdns-js/lib/advertisement.js' {
  import type { ServiceType } from 'mdns-js/lib/service_type.js';

  /** A packet that the state machine passes to `send`; only its kind is used, it is never sent. */
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
    /** 0 to 2: number of probes sent; 3: announced; 4: take another name. */
    status: number;
    /** Number of conflicts so far: '' for none, then '1', '2'. */
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
