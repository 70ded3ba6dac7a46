/** To be imported first by the program of a node. */
import { leanHeap } from '../kernel/v8-flags.ts';

leanHeap();
