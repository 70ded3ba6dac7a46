/** `tillnode/conformance`: everything that the tests of a room import, in this tree and in another package. */

export { startTestNode, type TestNode, type TestNodeOptions } from '../node/testing.ts';
export { readRecipeFiles } from '../recipes/files.ts';
export { expandMakerFile } from '../recipes/row.ts';
export { onBench, type RoomBench, roomsWith } from './bench.ts';
export type { Check, RoomUnderTest } from './check.ts';
export { roomConformance } from './room.ts';
export { record, replay, type Story } from './story.ts';
