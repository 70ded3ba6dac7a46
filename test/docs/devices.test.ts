import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { testedDevices } from './devices.ts';

it('the README names the devices that were tested, and with what', () => {
  const [, table] = /<!-- tested devices -->\n([\s\S]*?)\n<!-- end -->/.exec(readFileSync('README.md', 'utf8')) ?? [];
  expect(table).toBe(testedDevices());
});
