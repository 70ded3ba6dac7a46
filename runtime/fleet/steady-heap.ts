/**
 * The heap of a process that takes in as much as it can is to stay near that of one at rest: its young part stays as small
 * as it begins, and its old part is collected when it has grown by a fifth, not when it has doubled. To be imported first:
 * what the heap grows by while a program is loaded, it keeps.
 */
import { setFlagsFromString } from 'node:v8';

setFlagsFromString('--semi-space-growth-factor=1');
setFlagsFromString('--heap-growing-percent=20');
