/** A sentence about a room, and the room that it is about. */
import type { VirtualDevice } from '../bindings/virtual/device.ts';
import type { RoomBenchOptions } from './bench.ts';
import type { Story } from './story.ts';

export interface RoomUnderTest extends Omit<RoomBenchOptions, 'usbChannels'> {
  /** The virtual device, anew with each call. */
  device(): VirtualDevice;
  readonly recordings?: readonly { readonly story: Story; readonly text: string }[];
}

/** The endpoint that the room serves: its own, or that of a room beside it. */
export const endpointOf = ({ plugin, beside = [], endpoint }: RoomUnderTest) =>
  [plugin, ...beside].flatMap(({ endpoints = [] }) => endpoints).find(({ id }) => id === endpoint);

export interface Check {
  readonly sentence: string;
  /** Throws, or rejects, where the sentence is not true. */
  check(): void | Promise<void>;
}
