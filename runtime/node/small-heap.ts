/**
 * A node lives for years in little memory: collect early rather than let the heap grow with the traffic. To be imported
 * first: what the heap grows by while a program is loaded, it keeps.
 */
import { setFlagsFromString } from 'node:v8';

setFlagsFromString('--optimize-for-size');
setFlagsFromString('--semi-space-growth-factor=1');
