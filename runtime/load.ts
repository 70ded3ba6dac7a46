/**
 * What is started of an image, its `main.cjs`: runs the bundle beside it, as it was compiled ahead where that fits. It is CommonJS:
 * Node takes 10 ms to begin with an ES module, a twentieth of a start.
 */
import { compiledIn } from './image/compiled.ts';

const { script } = compiledIn(__dirname);
(script.runInThisContext() as (require: NodeJS.Require) => void)(require);
