/** Where the codes of contracts have their words, or why they need none. */

/** Where codes have words: under `<prefix><code>`, or under the key that is named for a code. */
export interface Words {
  readonly folder: string;
  readonly prefix?: string;
  readonly keys?: Readonly<Record<string, string>>;
}

const FLEET = 'runtime/fleet/page/words';
const STATUS = 'runtime/services/status';
const BOOTLOG = 'runtime/services/bootlog';
const NETWORK = 'runtime/services/network';
const own = (room: string, prefix = '') => ({ folder: `${room}/words`, prefix });
const keys = (room: string, of: Readonly<Record<string, string>>) => ({ folder: `${room}/words`, keys: of });

const DELIVERY = keys('runtime/services/webhook', { status: 'answered' });

/** Where the codes of a choice have their words, by the contract's folder and a place in it. */
export const SPOKEN: Readonly<Record<string, Readonly<Record<string, Words>>>> = {
  'plugins/hub': { 'Hub.power': keys('plugins/hub', { self: 'selfPowered', bus: 'busPowered' }) },
  'plugins/printer': {
    'TextLine.align': own('plugins/printer', 'align_'),
    'Drawer.openLevel': own('plugins/printer', 'level_'),
    'Raw.protect': keys('plugins/printer', { off: 'protectOff', settings: 'protectSettings' }),
    'CommandResult.outcome': own('runtime/services/jobs'),
  },
  'plugins/scale': { 'ScaleBlock.status': own('plugins/scale'), 'ScaleBlock.fault': own('plugins/scale') },
  'plugins/scanner': {
    ScannedSymbology: keys('plugins/scanner', { other: 'otherSymbology' }),
    'ScannerConfig.readMode': keys('plugins/scanner', {
      auto: 'modeAuto',
      keyboard: 'modeKeyboard',
      hidpos: 'modeHid',
    }),
    'ScannerConfig.layout': own('plugins/scanner', 'layout_'),
    'ScanRecord.verdict': own('plugins/scanner'),
    'ScanRecord.symbologySource': keys('plugins/scanner', { inferred: 'derived' }),
    'ScanRecord.suspect': own('plugins/scanner', 'suspect_'),
  },
  'plugins/serial': { 'SerialTried.tried.heard': own('plugins/serial') },
  'plugins/twin': {
    'TwinPrinter.cover': keys('plugins/twin', { open: 'coverIsOpen', closed: 'coverIsClosed' }),
    'TwinPrinter.drawer': keys('plugins/twin', { open: 'drawerIsOpen', closed: 'drawerIsShut' }),
    'TwinPrinter.paper': keys('plugins/twin', { ok: 'paperOk', low: 'paperLow', out: 'paperOut' }),
    'TwinScale.status': own('plugins/twin'),
    'TwinScan.symbology': keys('plugins/twin', { other: 'otherSymbology' }),
  },
  [BOOTLOG]: {
    'BootEntry.slot': own('runtime/page', 'slot_'),
    'BootEntry.reason': own(BOOTLOG),
    'CrashSummary.reason': own(BOOTLOG),
  },
  'runtime/services/capture': {
    'CaptureRecord.direction': own('runtime/services/capture', 'direction_'),
    'CaptureRecord.fault': own('runtime/services/capture', 'usb_'),
  },
  'runtime/services/discovery': {
    Profile: own('runtime/services/discovery', 'profile_'),
    'DiscoveryPart.discovery.state': own('runtime/services/discovery'),
  },
  'runtime/services/jobs': {
    'RecentJob.outcome': own('runtime/services/jobs'),
    'DayHour.trouble': own('runtime/services/jobs', 'trouble_'),
  },
  [NETWORK]: {
    'WifiStored.band': keys(NETWORK, { auto: 'anyBand' }),
    'NearbyNetworks.networks.security': keys(NETWORK, { open: 'openNetwork', owe: 'openNetwork' }),
    'NetworkView.mode': own(NETWORK),
    'NetworkView.ipv4.method': own(NETWORK, 'address_'),
    'NetworkView.ipv4.fault': { folder: `${NETWORK}/words/fault` },
    'NetworkView.trying.lastFault': { folder: `${NETWORK}/words/wifi` },
  },
  'runtime/services/settings': { ApiMode: own('runtime/services/settings', 'mode_') },
  [STATUS]: {
    Condition: own('runtime/page'),
    'NodeStatus.peripherals.recipe.tier': own(STATUS, 'tier_'),
    'NodeStatus.usb.state': own(STATUS),
    'UnknownDevices.devices.state': own(STATUS, 'state_'),
  },
  'runtime/services/update': { UpdatePolicy: own('runtime/services/update', 'policy_') },
  'runtime/services/webhook': { 'WebhookStatus.lastError': DELIVERY },
  'runtime/http': { WebhookFailure: DELIVERY },
  'runtime/fleet/alerts': { 'AlertsQuery.rule': { folder: FLEET, prefix: 'state_' } },
  'runtime/fleet/nodes': { State: { folder: FLEET, prefix: 'state_' } },
  'runtime/fleet/rollouts': {
    'Cause.held.what': { folder: FLEET, prefix: 'held_' },
    'Rollout.state': { folder: FLEET, prefix: 'rollout_' },
    'RolloutNodesQuery.state': { folder: FLEET, prefix: 'member_' },
  },
  'runtime/fleet/sign-in': {
    'Person.role': { folder: FLEET, prefix: 'role_' },
    'ApiToken.scope': { folder: FLEET, prefix: 'scope_' },
  },
};

const IN_JSON = 'the editor shows it as JSON alone, in which it is a word of the API';
const TOLD_ALONE = 'no page shows it: it is told to programs';
const ON_DISK = 'stands on the disk alone';
const STANDARD = 'the name of a standard, the same in every language';
/** Each of them. */
const ALL = /./;

/** Codes without words, by the contract's folder and a place in it: which of them, and why they need none. */
export const AS_THEY_ARE: Readonly<Record<string, Readonly<Record<string, readonly [codes: RegExp, why: string]>>>> = {
  'plugins/printer': {
    'TextLine.font': [ALL, IN_JSON],
    'RuleLine.style': [ALL, IN_JSON],
    'CutLine.mode': [ALL, IN_JSON],
    'BarcodeLine.hri': [ALL, IN_JSON],
    'BarcodeLine.errorCorrection': [ALL, STANDARD],
    Symbology: [ALL, STANDARD],
  },
  'plugins/scanner': { ScannedSymbology: [/^(?!other$)/, STANDARD] },
  'plugins/serial': {
    'SerialConfig.*.protocol': [ALL, 'the name that the maker gave it'],
    'SerialConfig.*.line.parity': [ALL, TOLD_ALONE],
    'SerialConfig.*.unit': [ALL, 'a unit is written the same in every language'],
  },
  'plugins/twin': { 'TwinScan.symbology': [/^(?!other$)/, STANDARD] },
  [BOOTLOG]: {
    'BootEntry.slot': [/^[ab]$/, 'a letter'],
    'BootStatus.boot.system.slot': [ALL, 'a letter'],
  },
  'runtime/services/discovery': { Profile: [/^(bixolon|citizen|epson)-/, 'the name of a product'] },
  'runtime/services/jobs': { 'StoredJob.state': [ALL, ON_DISK] },
  [NETWORK]: {
    'WifiStored.band': [/^\d/, 'a number'],
    'NearbyNetworks.networks.band': [ALL, 'a number'],
    'NearbyNetworks.networks.security': [/^(?!open$|owe$)/, 'the page says only of open networks that they are'],
    'NetworkView.trying.to': [ALL, TOLD_ALONE],
  },
  [STATUS]: {
    'NodeStatus.peripherals.knownBy': [ALL, TOLD_ALONE],
    'NodeStatus.usb.state': [/^ok$/, 'the page is silent about it'],
  },
  'runtime/fleet/alerts': { 'AlertsQuery.open': [ALL, 'stands in a query'] },
  'runtime/fleet/rollouts': { 'RolloutNodesQuery.asked': [ALL, 'stands in a query'] },
  'runtime/fleet/settings': { 'SettingsView.alerts.mail.language': [ALL, 'a language is offered by its own name'] },
  'runtime/fleet/sign-in': { 'SessionView.way': [ALL, 'the page shows another form for each'] },
};
