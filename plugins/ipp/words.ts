/** Words of the panel of IPP. What a system calls its own menus is as its maker calls them in that language. */
import type { Catalogue } from '../../runtime/base/language.ts';

/** Names of systems are the same in every language. */
const names = {
  ios_name: 'iPhone, iPad',
  android_name: 'Android',
  windows_name: 'Windows',
  macos_name: 'macOS',
  linux_name: 'Linux',
} as const;

const en = {
  ...names,
  title: 'Print from phones',
  about:
    'Phones, tablets and computers print receipts here without a driver (IPP Everywhere, AirPrint). The drawer stays shut.',
  enabled: 'Take jobs over IPP',
  enabledHint: 'closed in strict mode: it asks for no key',
  closed: 'closed',
  noPrinter: 'Opens as soon as a printer is plugged in.',
  add: 'Add the printer',
  ios: 'In the print dialog, under “Select Printer”: it stands there by the name of the printer.',
  android: 'The default print service finds it. By address: Settings, Printing, Add printer.',
  windows:
    'Printers & scanners, Add device, Add manually, by name or address: the address above with http:// in place of ipp://.',
  macos: 'Printers & Scanners, Add Printer; by address: protocol IPP, queue ipp/print.',
  linux: 'lpadmin -p till -E -v ADDRESS -m everywhere',
  tried: 'Tried with CUPS on Linux. The other ways are as their makers describe them; nobody here had such a device.',
} as const;

export const words: Catalogue<typeof en> = {
  en,
  de: {
    ...names,
    title: 'Drucken vom Telefon',
    about:
      'Telefone, Tablets und Rechner drucken hier Belege ohne Treiber (IPP Everywhere, AirPrint). Die Kassenlade bleibt zu.',
    enabled: 'Aufträge über IPP annehmen',
    enabledHint: 'im strengen Modus geschlossen: es fragt nach keinem Schlüssel',
    closed: 'geschlossen',
    noPrinter: 'Öffnet, sobald ein Drucker angesteckt ist.',
    add: 'Den Drucker hinzufügen',
    ios: 'Im Druckdialog unter „Drucker auswählen“: Er steht dort unter dem Namen des Druckers.',
    android: 'Der Standard-Druckdienst findet ihn. Über die Adresse: Einstellungen, Drucken, Drucker hinzufügen.',
    windows:
      'Drucker und Scanner, Gerät hinzufügen, manuell, über Name oder Adresse: die Adresse oben mit http:// statt ipp://.',
    macos: 'Drucker & Scanner, Drucker hinzufügen; über die Adresse: Protokoll IPP, Warteliste ipp/print.',
    linux: 'lpadmin -p till -E -v ADRESSE -m everywhere',
    tried:
      'Ausprobiert mit CUPS unter Linux. Die anderen Wege sind so, wie ihre Hersteller sie beschreiben; hier hatte niemand so ein Gerät.',
  },
  fr: {
    ...names,
    title: 'Imprimer depuis un téléphone',
    about:
      'Téléphones, tablettes et ordinateurs impriment ici des tickets sans pilote (IPP Everywhere, AirPrint). Le tiroir reste fermé.',
    enabled: 'Accepter des travaux par IPP',
    enabledHint: 'fermé en mode strict : aucune clé n’est demandée',
    closed: 'fermé',
    noPrinter: 'S’ouvre dès qu’une imprimante est branchée.',
    add: 'Ajouter l’imprimante',
    ios: 'Dans la fenêtre d’impression, sous « Sélectionner l’imprimante » : elle y figure sous le nom de l’imprimante.',
    android:
      'Le service d’impression par défaut la trouve. Par adresse : Paramètres, Impression, Ajouter une imprimante.',
    windows:
      'Imprimantes et scanners, Ajouter un appareil, Ajouter manuellement, par nom ou adresse : l’adresse ci-dessus avec http:// au lieu de ipp://.',
    macos: 'Imprimantes et scanners, Ajouter une imprimante ; par adresse : protocole IPP, file ipp/print.',
    linux: 'lpadmin -p till -E -v ADRESSE -m everywhere',
    tried:
      'Essayé avec CUPS sous Linux. Les autres façons sont celles que décrivent les fabricants ; personne ici n’avait un tel appareil.',
  },
  es: {
    ...names,
    title: 'Imprimir desde el teléfono',
    about:
      'Teléfonos, tabletas y ordenadores imprimen aquí recibos sin controlador (IPP Everywhere, AirPrint). El cajón sigue cerrado.',
    enabled: 'Aceptar trabajos por IPP',
    enabledHint: 'cerrado en modo estricto: no pide ninguna clave',
    closed: 'cerrado',
    noPrinter: 'Se abre en cuanto se conecta una impresora.',
    add: 'Añadir la impresora',
    ios: 'En el diálogo de impresión, en «Seleccionar impresora»: aparece con el nombre de la impresora.',
    android:
      'El servicio de impresión predeterminado la encuentra. Por dirección: Ajustes, Impresión, Añadir impresora.',
    windows:
      'Impresoras y escáneres, Agregar dispositivo, Agregar manualmente, por nombre o dirección: la dirección de arriba con http:// en lugar de ipp://.',
    macos: 'Impresoras y escáneres, Añadir impresora; por dirección: protocolo IPP, cola ipp/print.',
    linux: 'lpadmin -p till -E -v DIRECCIÓN -m everywhere',
    tried:
      'Probado con CUPS en Linux. Las demás formas son como las describen sus fabricantes; nadie aquí tenía un aparato así.',
  },
  it: {
    ...names,
    title: 'Stampare dal telefono',
    about:
      'Telefoni, tablet e computer stampano qui scontrini senza driver (IPP Everywhere, AirPrint). Il cassetto resta chiuso.',
    enabled: 'Accettare lavori via IPP',
    enabledHint: 'chiuso in modalità rigida: non chiede alcuna chiave',
    closed: 'chiuso',
    noPrinter: 'Si apre appena viene collegata una stampante.',
    add: 'Aggiungere la stampante',
    ios: 'Nella finestra di stampa, alla voce «Seleziona stampante»: compare con il nome della stampante.',
    android: 'Il servizio di stampa predefinito la trova. Per indirizzo: Impostazioni, Stampa, Aggiungi stampante.',
    windows:
      'Stampanti e scanner, Aggiungi dispositivo, Aggiungi manualmente, per nome o indirizzo: l’indirizzo sopra con http:// al posto di ipp://.',
    macos: 'Stampanti e scanner, Aggiungi stampante; per indirizzo: protocollo IPP, coda ipp/print.',
    linux: 'lpadmin -p till -E -v INDIRIZZO -m everywhere',
    tried:
      'Provato con CUPS su Linux. Gli altri modi sono come li descrivono i produttori; qui nessuno aveva un tale apparecchio.',
  },
  pt: {
    ...names,
    title: 'Imprimir a partir do telemóvel',
    about:
      'Telemóveis, tablets e computadores imprimem aqui recibos sem controlador (IPP Everywhere, AirPrint). A gaveta fica fechada.',
    enabled: 'Aceitar trabalhos por IPP',
    enabledHint: 'fechado no modo estrito: não pede nenhuma chave',
    closed: 'fechado',
    noPrinter: 'Abre assim que uma impressora é ligada.',
    add: 'Adicionar a impressora',
    ios: 'Na janela de impressão, em «Selecionar impressora»: aparece com o nome da impressora.',
    android:
      'O serviço de impressão predefinido encontra-a. Por endereço: Definições, Impressão, Adicionar impressora.',
    windows:
      'Impressoras e scanners, Adicionar dispositivo, Adicionar manualmente, por nome ou endereço: o endereço acima com http:// em vez de ipp://.',
    macos: 'Impressoras e scanners, Adicionar impressora; por endereço: protocolo IPP, fila ipp/print.',
    linux: 'lpadmin -p till -E -v ENDEREÇO -m everywhere',
    tried:
      'Experimentado com CUPS em Linux. Os outros modos são como os fabricantes os descrevem; ninguém aqui tinha um aparelho desses.',
  },
  nl: {
    ...names,
    title: 'Afdrukken vanaf een telefoon',
    about:
      'Telefoons, tablets en computers drukken hier bonnen af zonder stuurprogramma (IPP Everywhere, AirPrint). De kassalade blijft dicht.',
    enabled: 'Opdrachten via IPP aannemen',
    enabledHint: 'dicht in de strikte modus: het vraagt geen sleutel',
    closed: 'dicht',
    noPrinter: 'Gaat open zodra er een printer is aangesloten.',
    add: 'De printer toevoegen',
    ios: 'In het afdrukvenster, onder ‘Selecteer printer’: hij staat er met de naam van de printer.',
    android: 'De standaard afdrukservice vindt hem. Via het adres: Instellingen, Afdrukken, Printer toevoegen.',
    windows:
      'Printers en scanners, Apparaat toevoegen, Handmatig toevoegen, op naam of adres: het adres hierboven met http:// in plaats van ipp://.',
    macos: 'Printers en scanners, Voeg printer toe; via het adres: protocol IPP, wachtrij ipp/print.',
    linux: 'lpadmin -p till -E -v ADRES -m everywhere',
    tried:
      'Geprobeerd met CUPS op Linux. De andere manieren zijn zoals de makers ze beschrijven; niemand hier had zo’n apparaat.',
  },
  pl: {
    ...names,
    title: 'Drukowanie z telefonu',
    about:
      'Telefony, tablety i komputery drukują tu paragony bez sterownika (IPP Everywhere, AirPrint). Szuflada pozostaje zamknięta.',
    enabled: 'Przyjmuj zadania przez IPP',
    enabledHint: 'zamknięte w trybie ścisłym: nie pyta o klucz',
    closed: 'zamknięte',
    noPrinter: 'Otworzy się, gdy tylko drukarka zostanie podłączona.',
    add: 'Dodawanie drukarki',
    ios: 'W oknie drukowania, pod „Wybierz drukarkę”: stoi tam pod nazwą drukarki.',
    android: 'Domyślna usługa drukowania ją znajdzie. Po adresie: Ustawienia, Drukowanie, Dodaj drukarkę.',
    windows:
      'Drukarki i skanery, Dodaj urządzenie, Dodaj ręcznie, po nazwie lub adresie: adres powyżej z http:// zamiast ipp://.',
    macos: 'Drukarki i skanery, Dodaj drukarkę; po adresie: protokół IPP, kolejka ipp/print.',
    linux: 'lpadmin -p till -E -v ADRES -m everywhere',
    tried:
      'Wypróbowano z CUPS w Linuksie. Pozostałe sposoby są takie, jak opisują je producenci; nikt tu nie miał takiego urządzenia.',
  },
};
