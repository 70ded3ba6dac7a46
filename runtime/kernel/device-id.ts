/** The device id: made once, stored, and part of the host name. */
import { randomBytes } from 'node:crypto';

/** A new one: 8 lower-case hexadecimal digits. */
export const newDeviceId = (): string => randomBytes(4).toString('hex');
