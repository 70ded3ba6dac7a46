/** Writes the page of operators to the file that is named: `node fleet-page.mjs FILE`. */
import { writeFileSync } from 'node:fs';
import { makeFleetPage } from './page.ts';

const [, , file = ''] = process.argv;
writeFileSync(file, JSON.stringify(await makeFleetPage()));
