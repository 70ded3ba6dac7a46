/** Words of the link to the page that certifies a device. */
import type { Catalogue } from '../../base/language.ts';

const en = { certify: 'Certify this device' } as const;

export const words: Catalogue<typeof en> = {
  en,
  de: { certify: 'Dieses Gerät prüfen' },
  fr: { certify: 'Certifier cet appareil' },
  es: { certify: 'Certificar este dispositivo' },
  it: { certify: 'Certificare questo dispositivo' },
  pt: { certify: 'Certificar este dispositivo' },
  nl: { certify: 'Dit apparaat certificeren' },
  pl: { certify: 'Certyfikuj to urządzenie' },
};
