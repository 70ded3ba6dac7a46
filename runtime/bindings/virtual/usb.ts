/** A USB bus in memory. */
import type { UsbBinding, UsbIdentity, UsbListener } from '../usb.ts';
import { usbIdentity } from '../usb-identity.ts';
import type { VirtualDevice } from './device.ts';
import { VirtualUsbDevice } from './usb-device.ts';

interface Socket {
  readonly device: VirtualDevice;
  readonly identity: UsbIdentity;
  /** The device that was reported as connected; undefined without a listener and while `state` is not `ok`. */
  host: VirtualUsbDevice | undefined;
}

/**
 * A USB bus for virtual devices. The listener is called after the change that it is told of, in the order of changes.
 */
export class VirtualUsb implements UsbBinding {
  readonly #sockets = new Map<VirtualDevice, Socket>();
  #listener: UsbListener | undefined;
  #state: UsbBinding['state'] = 'ok';

  get state(): UsbBinding['state'] {
    return this.#state;
  }

  /** A change from `ok` disconnects all devices; a change to `ok` connects them again. */
  set state(state: UsbBinding['state']) {
    this.#state = state;
    for (const socket of this.#sockets.values()) {
      if (state === 'ok') this.#announce(socket);
      else this.#retract(socket);
    }
  }

  async start(listener: UsbListener): Promise<void> {
    this.#listener = listener;
    for (const socket of this.#sockets.values()) this.#announce(socket);
    await Promise.resolve();
  }

  async stop(): Promise<void> {
    this.#listener = undefined;
    for (const socket of this.#sockets.values()) {
      await socket.host?.close();
      socket.host = undefined;
    }
  }

  /** Plugs a device into a port (as Linux writes port paths), by default the first free one. */
  plug(device: VirtualDevice, port = this.#freePort()): void {
    const socket: Socket = { device, identity: usbIdentity(device.descriptors, device.strings, port), host: undefined };
    device.attach({ ready: (pipe) => socket.host?.ready(pipe), leave: () => this.unplug(device) });
    this.#sockets.set(device, socket);
    this.#announce(socket);
  }

  /** Unplugs a device; does nothing if it is not plugged in. */
  unplug(device: VirtualDevice): void {
    const socket = this.#sockets.get(device);
    if (!socket) return;
    this.#sockets.delete(device);
    this.#retract(socket);
    device.detach();
  }

  isPlugged(device: VirtualDevice): boolean {
    return this.#sockets.has(device);
  }

  /** The device at a port path; undefined if there is none. */
  deviceAt(port: string): VirtualDevice | undefined {
    return [...this.#sockets.values()].find(({ identity }) => identity.port === port)?.device;
  }

  /** Numbers of the interfaces of a device that the node has claimed. */
  claimedInterfaces(device: VirtualDevice): readonly number[] {
    return this.#sockets.get(device)?.host?.claimed ?? [];
  }

  #announce(socket: Socket): void {
    if (!this.#listener || this.#state !== 'ok' || socket.host) return;
    const host = new VirtualUsbDevice(socket.device, socket.identity);
    socket.host = host;
    this.#notify((listener) => listener.connect(host));
  }

  #retract(socket: Socket): void {
    const { host } = socket;
    socket.host = undefined;
    host?.unplugged();
    if (host) this.#notify((listener) => listener.disconnect(host));
  }

  #notify(tell: (listener: UsbListener) => void): void {
    const listener = this.#listener;
    queueMicrotask(() => {
      if (listener && listener === this.#listener) tell(listener);
    });
  }

  #freePort(): string {
    const taken = new Set([...this.#sockets.values()].map((socket) => socket.identity.port));
    let number = 1;
    while (taken.has(`1-${number}`)) number += 1;
    return `1-${number}`;
  }
}
