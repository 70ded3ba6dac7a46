/** What is started of an image, its `main.js`: runs the bundle beside it, as it was compiled ahead where that fits. */
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compiledIn } from './image/compiled.ts';

const { script } = compiledIn(dirname(fileURLToPath(import.meta.url)));
(script.runInThisContext() as (require: NodeJS.Require) => void)(createRequire(import.meta.url));
