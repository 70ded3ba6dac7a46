import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { tableIn } from '../../runtime/recipes/tested-devices.ts';
import { testedDevices } from './devices.ts';

it('the README names the devices that were tested, and with what', () => {
  expect(tableIn(readFileSync('README.md', 'utf8'))).toBe(testedDevices());
});
