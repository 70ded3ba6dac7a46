/**
 * What goes over the wire, by its name in the rooms' contracts. Types alone: no schema comes along. Whatever stands for a
 * schema has a name of its own here, for the declarations that the build writes.
 */
import type { Static, TSchema } from '@sinclair/typebox';
import type * as Camera from '../../plugins/camera/contract.ts';
import type * as Hub from '../../plugins/hub/contract.ts';
import type * as Printer from '../../plugins/printer/contract.ts';
import type * as Scale from '../../plugins/scale/contract.ts';
import type * as Scanner from '../../plugins/scanner/contract.ts';
import type * as Twin from '../../plugins/twin/contract.ts';
import type * as Contract from '../exports/contract.ts';
import type * as Bootlog from '../services/bootlog/contract.ts';
import type * as Capture from '../services/capture/contract.ts';
import type * as Cloud from '../services/cloud/contract.ts';
import type * as Compose from '../services/compose/contract.ts';
import type * as Discovery from '../services/discovery/contract.ts';
import type * as Events from '../services/events/contract.ts';
import type * as Network from '../services/network/contract.ts';
import type * as Peers from '../services/peers/contract.ts';
import type * as Settings from '../services/settings/contract.ts';
import type * as StatusRoom from '../services/status/contract.ts';
import type * as Update from '../services/update/contract.ts';
import type * as Webhook from '../services/webhook/contract.ts';

type Of<S extends TSchema> = Static<S>;

/** The answer of a route that has nothing else to say. */
export type Done = { readonly ok: true };

export type PrinterStatus = Of<typeof Printer.PrinterStatus>;
export type ScaleBlock = Of<typeof Scale.ScaleBlock>;
export type WebhookStatus = Of<typeof Webhook.WebhookStatus>;
export type HubStatus = Hub.HubStatus;
/** What every node tells, and the blocks of the rooms that the image has. */
export type Status = Contract.Status;
export type Peripherals = Of<typeof StatusRoom.Peripherals>;
export type UnknownDevices = Of<typeof StatusRoom.UnknownDevices>;

export type Line = Printer.Line;
export type PrintCommand = Printer.PrintCommand;
export type RawCommand = Printer.RawCommand;
export type DrawerKickCommand = Printer.DrawerKickCommand;
export type CommandResult = Of<typeof Printer.CommandResult>;
export type ComposeBody = Compose.ComposeBody;
export type Composed = Of<typeof Compose.Composed>;

interface ConfigKeys {
  apiMode: Of<typeof Settings.ApiMode>;
  hosts: Of<typeof Settings.Hosts>;
  capture: Of<typeof Capture.Capture>;
  profile: string;
  customProfile: Of<typeof Discovery.CustomProfile>;
  webhook: Of<typeof Webhook.WebhookConfig>;
  printWidthCols: Of<typeof Printer.PrintWidthCols>;
  cutClearanceLines: Of<typeof Printer.CutClearanceLines>;
  drawer: Of<typeof Printer.Drawer>;
  usb: Of<typeof Printer.Usb>;
  raw: Of<typeof Printer.Raw>;
  scanner: Of<typeof Scanner.ScannerConfig>;
}
type FlatKey = 'apiMode' | 'hosts' | 'capture' | 'profile' | 'printWidthCols' | 'cutClearanceLines' | 'customProfile';
type NestedKey = 'drawer' | 'usb' | 'raw' | 'scanner';

/** What of the configuration is to be changed; nested objects key by key. Keys of other plugins are taken, too. */
export type ConfigPatch = { [Key in FlatKey | NestedKey | 'webhook']?: ConfigKeys[Key] } & {
  apiKey?: string;
  [key: string]: unknown;
};
/** The whole configuration. Credentials are shown as set or not. Keys of other plugins come, too. */
export type Config = { [Key in FlatKey]: ConfigKeys[Key] } & {
  [Key in NestedKey]: Required<ConfigKeys[Key]>;
} & {
  [Key in 'webhook']: Required<Omit<ConfigKeys[Key], 'secret'>> & { secretSet: boolean };
} & { apiKeySet: boolean; [key: string]: unknown };

export type Scans = Scanner.Scans;
export type CameraInfo = Of<typeof Camera.CameraInfo>;
export type CameraConfig = Of<typeof Camera.CameraConfig>;
export type CameraStored = Done & Of<typeof Camera.CameraInfo>['config'];

export type NetworkView = Network.NetworkView;
export type WifiBody = Network.WifiBody;
export type WifiStored = Of<typeof Network.WifiStored>;
export type Ipv4Body = Network.Ipv4Body;
export type Ipv4Stored = Of<typeof Network.Ipv4Stored>;
export type PeerList = Of<typeof Peers.Peers>;
export type NodeNamed = Of<typeof Peers.NodeNamed>;

export type BootlogView = Of<typeof Bootlog.Bootlog>;
export type CaptureRecord = Of<typeof Capture.CaptureRecord>;
export type CaptureMark = Capture.CaptureMark;
export type CaptureMarked = Of<typeof Capture.CaptureMarked>;

export type CloudView = Of<typeof Cloud.CloudView>;
export type CloudPatch = Cloud.CloudPatch;
export type CloudStored = Of<typeof Cloud.CloudStored>;

export type UpdateRequest = Update.UpdateRequest;
export type UpdateStored = Of<typeof Update.UpdateStored>;
export type UpdateInstalled = Of<typeof Update.UpdateInstalled>;
export type Restarting = Of<typeof Update.Restarting>;

export type TwinPrinter = Of<typeof Twin.TwinPrinter>;
export type TwinPrinterState = Done & Required<TwinPrinter>;
export type TwinScale = Of<typeof Twin.TwinScale>;
export type TwinScaleState = Done & Required<TwinScale>;
export type TwinScan = Of<typeof Twin.TwinScan>;
export type TwinButton = Of<typeof Twin.TwinButton>;
export type TwinAttach = Of<typeof Twin.TwinAttach>;
export type TwinAttached = Done & Required<Pick<TwinAttach, 'attached'>>;
export type TwinDevices = Of<typeof Twin.TwinDevices>;

/** What GET /events tells of, told apart by `type`. Another plugin's events come too; `events<T>()` names them. */
export type NodeEvent =
  | Of<typeof Scanner.ScanRead>
  | PrinterStatus
  | Of<typeof Scale.ScaleWeightChanged>
  | CommandResult
  | Of<typeof Camera.CameraFrameCaptured>
  | Of<typeof Events.Telemetry>
  | Of<typeof Cloud.HeartbeatEvent>;

/** Types of the events that go to a webhook. */
export type WebhookEvent = Of<typeof Webhook.WebhookEvent>;
/** The body of a webhook. */
export type WebhookMessage = Omit<Of<typeof Webhook.WebhookMessage>, 'event'> & {
  event: Extract<NodeEvent, { type: WebhookEvent }>;
};
