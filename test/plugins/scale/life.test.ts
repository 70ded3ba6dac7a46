import { VirtualScale } from '../../../plugins/scale/virtual.ts';
import { livesHard } from '../../fuzz/device-life.ts';

livesHard('a scale', { endpoint: 'scale', create: () => new VirtualScale() });
