import camera from '../../../plugins/camera/index.ts';
import { createVirtualDevice } from '../../../plugins/camera/virtual.ts';
import { conforms } from '../../conformance.ts';

conforms('the camera room', { plugin: camera, endpoint: 'camera', device: createVirtualDevice });
