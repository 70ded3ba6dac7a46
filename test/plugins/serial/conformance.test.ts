import serial from '../../../plugins/serial/index.ts';
import { conforms } from '../../conformance.ts';
import { bench, scaleOf, stories } from './stories.ts';

const room = { ...bench, plugin: serial, endpoint: 'scale' };
conforms('the room of serial lines with a scale that is asked', { ...room, device: () => scaleOf('cas-pd2') }, stories);
conforms('the room of serial lines with a scale that sends by itself', {
  ...room,
  device: () => scaleOf('scale-stream'),
});
