/** `tillnode/conformance`: everything that the tests of a room import, in this tree and in another package. */

export type { Tour } from '../certify/tour.ts';
export { startTestNode, type TestNode, type TestNodeOptions } from '../node/testing.ts';
export { readRecipeFiles } from '../recipes/files.ts';
export { expandMakerFile } from '../recipes/row.ts';
export { onBench, type RoomBench, roomsWith } from './bench.ts';
export type { Check, RoomUnderTest } from './check.ts';
export { type PlayedCertificate, play, type Stage } from './play.ts';
export { roomConformance } from './room.ts';
export { record, replay, type Story } from './story.ts';
