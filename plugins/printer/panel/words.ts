/** Words of the printer's panel and of its card on the overview. */
const en = {
  title: 'Receipt printer',
  printer: 'Receipt printer',

  tillReady: 'Ready',
  tillPaperLow: 'Ready. The paper roll ends soon',
  tillPaperOut: 'No paper: open the cover and put a roll in',
  tillCover: 'The cover is open: close it',
  tillOffline: 'The printer takes nothing now: look at its lamps',
  tillSilent: 'Plugged in, but it does not say how it is: print a test receipt',
  tillLanguage: 'This printer speaks another language than receipt printers (ESC/POS): nothing can be printed on it',
  tillNoUsb: 'The node cannot use its USB ports',
  width: 'This printer has {columns} columns, receipts are laid out in {layout}',
  takeWidth: 'Lay receipts out in {columns} columns',
  portOpen: 'Other programs print through {address}, port {port}.',
  portClosed: 'Other programs cannot print now: port 9100 is closed.',

  testPrint: 'Print a test receipt',
  openDrawer: 'Open the drawer',
  needsKey: 'Printing and opening the drawer need the API key while the API mode is strict, and this page holds none.',
  sent: 'Sent to the printer.',
  sentDetail: 'Sent to the printer: {detail}.',
  mayHaveArrived: '{fault} It may have arrived: look before you send it again.',
  pulseSent: 'The pulse was sent to the drawer.',
} as const;

export const words = { en };
