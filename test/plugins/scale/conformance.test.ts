import scale from '../../../plugins/scale/index.ts';
import { VirtualScale } from '../../../plugins/scale/virtual.ts';
import { conforms } from '../../conformance.ts';
import { stories } from './stories.ts';

conforms('the scale room', { plugin: scale, endpoint: 'scale', device: () => new VirtualScale() }, stories);
