/** Runs inside a system of its own, before its network manager. */
import { makeRadios } from './wireless.ts';

makeRadios();
