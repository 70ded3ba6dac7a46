/** A sentence about a room, and the room that it is about. */
import type { VirtualDevice } from '../bindings/virtual/device.ts';
import type { RoomBenchOptions } from './bench.ts';
import type { Story } from './story.ts';

export interface RoomUnderTest extends Pick<RoomBenchOptions, 'plugin' | 'endpoint' | 'recipeFiles'> {
  /** The virtual device, anew with each call. */
  device(): VirtualDevice;
  readonly recordings?: readonly { readonly story: Story; readonly text: string }[];
}

export interface Check {
  readonly sentence: string;
  /** Throws, or rejects, where the sentence is not true. */
  check(): void | Promise<void>;
}
