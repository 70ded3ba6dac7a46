import { VirtualCamera } from '../../../plugins/camera/virtual.ts';
import { holds } from '../hub/held.ts';

holds('a camera', () => new VirtualCamera(), 2);
holds('a camera that reports its button', () => new VirtualCamera({ button: true }), 3);
