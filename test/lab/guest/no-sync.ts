/** Loaded ahead of launcher and image (node --import): nothing that they write is ever synced. */
import fs from 'node:fs';
import { open } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const handle = await open('/dev/null');
Object.assign(Object.getPrototypeOf(handle), { sync: async () => {} });
await handle.close();
fs.fsyncSync = () => {};
syncBuiltinESMExports();
