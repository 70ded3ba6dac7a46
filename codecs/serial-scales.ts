/** The protocols of scales on a serial line, by the names that the configuration has for them. */
import { casPd2, casPd2Protocol } from './cas-pd2.ts';
import { mtSics, mtSicsProtocol } from './mt-sics.ts';
import { nci, nciProtocol } from './nci-scale.ts';
import type { SerialScaleProtocol } from './serial-scale.ts';
import { scaleStream, scaleStreamProtocol } from './stream-scale.ts';
import { toledo8217, toledo8217Protocol } from './toledo-8217.ts';

/** Names of the protocols, in the order in which they are tried: the one that is only listened to comes first. */
export const SCALE_PROTOCOLS = ['scale-stream', 'mt-sics', 'toledo-8217', 'nci', 'cas-pd2'] as const;
export type ScaleProtocolName = (typeof SCALE_PROTOCOLS)[number];

/** Codecs of the protocols. */
export const SERIAL_SCALE_CODECS = [scaleStream, mtSics, toledo8217, nci, casPd2] as const;

/** By name. */
export const PROTOCOLS: Readonly<Record<ScaleProtocolName, SerialScaleProtocol>> = {
  'scale-stream': scaleStreamProtocol,
  'mt-sics': mtSicsProtocol,
  'toledo-8217': toledo8217Protocol,
  nci: nciProtocol,
  'cas-pd2': casPd2Protocol,
};
