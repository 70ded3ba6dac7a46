/** Bytes as hexadecimal text, which is how manuals and findings show them. */
export const hex = (text: string): Buffer => Buffer.from(text.replaceAll(/\s/g, ''), 'hex');
export const text = (value: string): Buffer => Buffer.from(value, 'latin1');
export const PULSE = hex('1b70 00 19fa');
