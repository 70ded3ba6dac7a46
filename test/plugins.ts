/** The rooms of the twin, for tests that start a node in their own process. */
import camera from '../plugins/camera/index.ts';
import hub from '../plugins/hub/index.ts';
import printer from '../plugins/printer/index.ts';
import scale from '../plugins/scale/index.ts';
import scanner from '../plugins/scanner/index.ts';
import twin from '../plugins/twin/index.ts';
import bootlog from '../runtime/services/bootlog/index.ts';
import capture from '../runtime/services/capture/index.ts';
import cloud from '../runtime/services/cloud/index.ts';
import compose from '../runtime/services/compose/index.ts';
import custody from '../runtime/services/custody/index.ts';
import discovery from '../runtime/services/discovery/index.ts';
import events from '../runtime/services/events/index.ts';
import jobs from '../runtime/services/jobs/index.ts';
import network from '../runtime/services/network/index.ts';
import peers from '../runtime/services/peers/index.ts';
import settings from '../runtime/services/settings/index.ts';
import status from '../runtime/services/status/index.ts';
import update from '../runtime/services/update/index.ts';
import webhook from '../runtime/services/webhook/index.ts';

const services = [
  ...[status, settings, bootlog, events, webhook, discovery, peers, network, custody, capture],
  ...[update, cloud, compose, jobs],
];
export const wifiPlugins = [...services, printer, scanner, scale, hub];
export const cameraPlugins = [...wifiPlugins, camera];
export const twinPlugins = [...cameraPlugins, twin];
