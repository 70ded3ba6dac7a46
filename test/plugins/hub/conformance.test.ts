import hub from '../../../plugins/hub/index.ts';
import { VirtualHub } from '../../../plugins/hub/virtual.ts';
import { conforms } from '../../conformance.ts';

conforms('the hub room', { plugin: hub, endpoint: 'hub', device: () => new VirtualHub() });
