/** Why a Wi-Fi network was not joined, or cannot be with these credentials: for the portal, and the detail of an error. */
import type { Catalogue } from '../../page/kit/catalogue.ts';

const en = {
  wrong_password: 'the password is wrong',
  no_network: 'no network of this name is in range',
  no_address: 'the network assigned no address',
  address_taken: 'another device has the fixed address',
  timeout: 'the network did not respond in time',
  no_radio: 'the node has no Wi-Fi radio',
  unmanaged: 'the node cannot use its Wi-Fi radio',
  failed: 'the network refused the node',
  nothingStored: 'nothing is stored: {reason}',
  tooLong: 'a network name has 1 to 32 bytes; this one has {n}',
  oddCharacter:
    'character {n} of the password cannot be in one: only letters without accents, digits, spaces and the signs of a US keyboard can',
  keyShort: 'a Wi-Fi password has at least 8 characters; this one has {n}',
  keyLong: 'a Wi-Fi password has at most 63 characters, or is a key of 64 digits from 0 to f; this one has {n}',
  enterprise:
    'the network “{ssid}” asks each user for a name (WPA Enterprise, 802.1X), which this node does not have: use another network',
  wep: 'the network “{ssid}” has WEP, which is broken and not supported: set its router to WPA2',
  isOpen: 'the network “{ssid}” is open: leave the password empty',
  needsKey: 'the network “{ssid}” needs its password',
  wpa3Key: 'the network “{ssid}” has WPA3 alone, which takes its password, not a key of 64 digits',
} as const;

/** By the fault of the radio, and by what is wrong with the credentials. */
export const words: Catalogue<typeof en> = {
  en,
  de: {
    wrong_password: 'das Passwort ist falsch',
    no_network: 'kein Netz dieses Namens ist in Reichweite',
    no_address: 'das Netz hat keine Adresse vergeben',
    address_taken: 'ein anderes Gerät hat die feste Adresse',
    timeout: 'das Netz hat nicht rechtzeitig geantwortet',
    no_radio: 'der Node hat kein WLAN',
    unmanaged: 'der Node kann sein WLAN nicht verwenden',
    failed: 'das Netz hat den Node abgewiesen',
    nothingStored: 'nichts wurde gespeichert: {reason}',
    tooLong: 'ein Netzname hat 1 bis 32 Bytes; dieser hat {n}',
    oddCharacter:
      'Zeichen {n} kann in keinem Passwort stehen: nur Buchstaben ohne Akzente und Umlaute, Ziffern, Leerzeichen und die Zeichen einer US-Tastatur können es',
    keyShort: 'ein WLAN-Passwort hat mindestens 8 Zeichen; dieses hat {n}',
    keyLong:
      'ein WLAN-Passwort hat höchstens 63 Zeichen, oder ist ein Schlüssel aus 64 Ziffern von 0 bis f; dieses hat {n}',
    enterprise:
      'das Netz „{ssid}“ fragt jeden Benutzer nach einem Namen (WPA Enterprise, 802.1X), den dieser Node nicht hat: ein anderes Netz verwenden',
    wep: 'das Netz „{ssid}“ hat WEP, das unsicher ist und nicht unterstützt wird: seinen Router auf WPA2 stellen',
    isOpen: 'das Netz „{ssid}“ ist offen: das Passwort leer lassen',
    needsKey: 'das Netz „{ssid}“ braucht sein Passwort',
    wpa3Key: 'das Netz „{ssid}“ hat nur WPA3: es nimmt sein Passwort, keinen Schlüssel aus 64 Ziffern',
  },
  fr: {
    wrong_password: 'le mot de passe est faux',
    no_network: 'aucun réseau de ce nom n’est à portée',
    no_address: 'le réseau n’a attribué aucune adresse',
    address_taken: 'un autre appareil a l’adresse fixe',
    timeout: 'le réseau n’a pas répondu à temps',
    no_radio: 'le node n’a pas de Wi-Fi',
    unmanaged: 'le node ne peut pas utiliser son Wi-Fi',
    failed: 'le réseau a refusé le node',
    nothingStored: 'rien n’est enregistré : {reason}',
    tooLong: 'un nom de réseau a de 1 à 32 octets ; celui-ci en a {n}',
    oddCharacter:
      'le caractère {n} ne peut être dans aucun mot de passe : seuls les lettres sans accent, les chiffres, les espaces et les signes d’un clavier américain le peuvent',
    keyShort: 'un mot de passe Wi-Fi a au moins 8 caractères ; celui-ci en a {n}',
    keyLong:
      'un mot de passe Wi-Fi a au plus 63 caractères, ou est une clé de 64 chiffres de 0 à f ; celui-ci en a {n}',
    enterprise:
      'le réseau « {ssid} » demande un nom à chaque utilisateur (WPA Enterprise, 802.1X), que ce node n’a pas : utiliser un autre réseau',
    wep: 'le réseau « {ssid} » est en WEP, qui n’est pas sûr et n’est pas pris en charge : régler son routeur sur WPA2',
    isOpen: 'le réseau « {ssid} » est ouvert : laisser le mot de passe vide',
    needsKey: 'le réseau « {ssid} » a besoin de son mot de passe',
    wpa3Key: 'le réseau « {ssid} » est en WPA3 seul : il prend son mot de passe, pas une clé de 64 chiffres',
  },
  es: {
    wrong_password: 'la contraseña es incorrecta',
    no_network: 'no hay ninguna red con este nombre al alcance',
    no_address: 'la red no asignó ninguna dirección',
    address_taken: 'otro dispositivo tiene la dirección fija',
    timeout: 'la red no respondió a tiempo',
    no_radio: 'el nodo no tiene Wi-Fi',
    unmanaged: 'el nodo no puede usar su Wi-Fi',
    failed: 'la red rechazó el nodo',
    nothingStored: 'no se guardó nada: {reason}',
    tooLong: 'un nombre de red tiene de 1 a 32 bytes; este tiene {n}',
    oddCharacter:
      'el carácter {n} no puede estar en ninguna contraseña: solo letras sin acentos, cifras, espacios y los signos de un teclado estadounidense',
    keyShort: 'una contraseña Wi-Fi tiene al menos 8 caracteres; esta tiene {n}',
    keyLong:
      'una contraseña Wi-Fi tiene como máximo 63 caracteres, o es una clave de 64 cifras de 0 a f; esta tiene {n}',
    enterprise:
      'la red «{ssid}» pide un nombre a cada usuario (WPA Enterprise, 802.1X), que este nodo no tiene: usar otra red',
    wep: 'la red «{ssid}» usa WEP, que no es seguro ni está admitido: poner su router en WPA2',
    isOpen: 'la red «{ssid}» está abierta: dejar la contraseña vacía',
    needsKey: 'la red «{ssid}» necesita su contraseña',
    wpa3Key: 'la red «{ssid}» usa solo WPA3: acepta su contraseña, no una clave de 64 cifras',
  },
  it: {
    wrong_password: 'la password è sbagliata',
    no_network: 'nessuna rete con questo nome è raggiungibile',
    no_address: 'la rete non ha assegnato un indirizzo',
    address_taken: 'un altro dispositivo ha l’indirizzo fisso',
    timeout: 'la rete non ha risposto in tempo',
    no_radio: 'il nodo non ha il Wi-Fi',
    unmanaged: 'il nodo non può usare il suo Wi-Fi',
    failed: 'la rete ha rifiutato il nodo',
    nothingStored: 'non è stato salvato nulla: {reason}',
    tooLong: 'il nome di una rete ha da 1 a 32 byte; questo ne ha {n}',
    oddCharacter:
      'il carattere {n} non può stare in una password: solo lettere senza accenti, cifre, spazi e i segni di una tastiera americana',
    keyShort: 'una password Wi-Fi ha almeno 8 caratteri; questa ne ha {n}',
    keyLong: 'una password Wi-Fi ha al massimo 63 caratteri, o è una chiave di 64 cifre da 0 a f; questa ne ha {n}',
    enterprise:
      'la rete «{ssid}» chiede un nome a ogni utente (WPA Enterprise, 802.1X), che questo nodo non ha: usare un’altra rete',
    wep: 'la rete «{ssid}» usa WEP, che non è sicuro e non è supportato: impostare il router su WPA2',
    isOpen: 'la rete «{ssid}» è aperta: lasciare vuota la password',
    needsKey: 'la rete «{ssid}» ha bisogno della sua password',
    wpa3Key: 'la rete «{ssid}» usa solo WPA3: accetta la sua password, non una chiave di 64 cifre',
  },
  pt: {
    wrong_password: 'a palavra-passe está errada',
    no_network: 'nenhuma rede com este nome está ao alcance',
    no_address: 'a rede não atribuiu nenhum endereço',
    address_taken: 'outro dispositivo tem o endereço fixo',
    timeout: 'a rede não respondeu a tempo',
    no_radio: 'o nó não tem Wi-Fi',
    unmanaged: 'o nó não pode usar o seu Wi-Fi',
    failed: 'a rede recusou o nó',
    nothingStored: 'nada foi guardado: {reason}',
    tooLong: 'um nome de rede tem de 1 a 32 bytes; este tem {n}',
    oddCharacter:
      'o carácter {n} não pode estar numa palavra-passe: só letras sem acentos, algarismos, espaços e os sinais de um teclado americano',
    keyShort: 'uma palavra-passe Wi-Fi tem pelo menos 8 caracteres; esta tem {n}',
    keyLong:
      'uma palavra-passe Wi-Fi tem no máximo 63 caracteres, ou é uma chave de 64 algarismos de 0 a f; esta tem {n}',
    enterprise:
      'a rede «{ssid}» pede um nome a cada utilizador (WPA Enterprise, 802.1X), que este nó não tem: usar outra rede',
    wep: 'a rede «{ssid}» usa WEP, que não é seguro nem suportado: pôr o router em WPA2',
    isOpen: 'a rede «{ssid}» é aberta: deixar a palavra-passe vazia',
    needsKey: 'a rede «{ssid}» precisa da sua palavra-passe',
    wpa3Key: 'a rede «{ssid}» usa só WPA3: aceita a sua palavra-passe, não uma chave de 64 algarismos',
  },
  nl: {
    wrong_password: 'het wachtwoord is fout',
    no_network: 'geen netwerk met deze naam is binnen bereik',
    no_address: 'het netwerk gaf geen adres',
    address_taken: 'een ander apparaat heeft het vaste adres',
    timeout: 'het netwerk antwoordde niet op tijd',
    no_radio: 'de node heeft geen wifi',
    unmanaged: 'de node kan zijn wifi niet gebruiken',
    failed: 'het netwerk weigerde de node',
    nothingStored: 'er is niets opgeslagen: {reason}',
    tooLong: 'een netwerknaam heeft 1 tot 32 bytes; deze heeft er {n}',
    oddCharacter:
      'teken {n} kan niet in een wachtwoord staan: alleen letters zonder accenten, cijfers, spaties en de tekens van een Amerikaans toetsenbord',
    keyShort: 'een wifi-wachtwoord heeft minstens 8 tekens; dit heeft er {n}',
    keyLong:
      'een wifi-wachtwoord heeft hoogstens 63 tekens, of is een sleutel van 64 cijfers van 0 tot f; dit heeft er {n}',
    enterprise:
      'het netwerk “{ssid}” vraagt elke gebruiker om een naam (WPA Enterprise, 802.1X), die deze node niet heeft: gebruik een ander netwerk',
    wep: 'het netwerk “{ssid}” heeft WEP, dat onveilig is en niet wordt ondersteund: zet de router op WPA2',
    isOpen: 'het netwerk “{ssid}” is open: laat het wachtwoord leeg',
    needsKey: 'het netwerk “{ssid}” heeft zijn wachtwoord nodig',
    wpa3Key: 'het netwerk “{ssid}” heeft alleen WPA3: het neemt zijn wachtwoord, geen sleutel van 64 cijfers',
  },
  pl: {
    wrong_password: 'hasło jest błędne',
    no_network: 'w zasięgu nie ma sieci o tej nazwie',
    no_address: 'sieć nie przydzieliła adresu',
    address_taken: 'inne urządzenie ma ten stały adres',
    timeout: 'sieć nie odpowiedziała na czas',
    no_radio: 'węzeł nie ma Wi-Fi',
    unmanaged: 'węzeł nie może użyć swojego Wi-Fi',
    failed: 'sieć odrzuciła węzeł',
    nothingStored: 'niczego nie zapisano: {reason}',
    tooLong: 'nazwa sieci ma od 1 do 32 bajtów; ta ma {n}',
    oddCharacter:
      'znak {n} nie może wystąpić w haśle: tylko litery bez znaków diakrytycznych, cyfry, spacje i znaki klawiatury amerykańskiej',
    keyShort: 'hasło Wi-Fi ma co najmniej 8 znaków; to ma {n}',
    keyLong: 'hasło Wi-Fi ma najwyżej 63 znaki albo jest kluczem z 64 cyfr od 0 do f; to ma {n}',
    enterprise:
      'sieć „{ssid}” pyta każdego użytkownika o nazwę (WPA Enterprise, 802.1X), której ten węzeł nie ma: użyj innej sieci',
    wep: 'sieć „{ssid}” ma WEP, które nie jest bezpieczne ani obsługiwane: ustaw jej router na WPA2',
    isOpen: 'sieć „{ssid}” jest otwarta: pozostaw hasło puste',
    needsKey: 'sieć „{ssid}” wymaga hasła',
    wpa3Key: 'sieć „{ssid}” ma tylko WPA3: przyjmuje swoje hasło, a nie klucz z 64 cyfr',
  },
};
