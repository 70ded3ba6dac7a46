/** Words of the network's panel and of its card on the overview. */
const en = {
  thisNode: 'This node',
  offlineTill: 'Not in any network: other devices cannot reach it',
  name: 'Name',
  addresses: 'Addresses',
  qr: 'QR code of {url}',
  scanIt: 'Scan this with a phone in the same network to open this page there.',
  thisMachine: 'This page was opened on the machine of the node itself: under this address no phone reaches it.',
} as const;

export const words = { en };
