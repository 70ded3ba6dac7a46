/** To be imported first by the program: a heap as small as that of a node, and no optimizing compilers before there is a picture. */
import '../node/lean-heap.ts';
import { spareOptimizer } from './optimizer.ts';

spareOptimizer();
