/** How V8 runs a node. To be imported first: what the heap grows by while a program is loaded, it keeps. */
import { setFlagsFromString } from 'node:v8';

// A node lives for years in little memory: collect early rather than let the heap grow with the traffic.
setFlagsFromString('--optimize-for-size');
setFlagsFromString('--semi-space-growth-factor=1');
// A process whose other thread still compiles may hang as it ends (nodejs/node issue 54918), and is then killed as stuck.
setFlagsFromString('--no-concurrent-sparkplug');
