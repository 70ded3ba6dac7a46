/** What is wrong with the fixed address or the network, as sentences that say what the shop can do: on page and notices. */
import type { Catalogue } from '../../base/language.ts';

const en = {
  taken:
    'The fixed address {address} is not used, because another device has it: set a free one on the page of the node, or hold its button for 5 seconds to have the router give one (DHCP).',
  no_gateway:
    'The fixed address {address} is not used, because its gateway {gateway} does not answer: set the right gateway on the page of the node, or hold its button for 5 seconds to have the router give an address (DHCP).',
  outside:
    'The fixed address {address} does not fit this network: set one that does on the page of the node, or hold its button for 5 seconds to have the router give one (DHCP).',
  silentGateway: 'The router {gateway} did not answer when the node asked for it.',
  alone:
    'In this Wi-Fi only the router answers. If other devices do not find this page, it keeps its devices apart (a guest network): use another one, or a cable.',
} as const;

export const words: Catalogue<typeof en> = {
  en,
  de: {
    taken:
      'Die feste Adresse {address} wird nicht verwendet, weil ein anderes Gerät sie hat: eine freie auf der Seite des Nodes setzen, oder seine Taste 5 Sekunden halten, damit der Router eine vergibt (DHCP).',
    no_gateway:
      'Die feste Adresse {address} wird nicht verwendet, weil ihr Gateway {gateway} nicht antwortet: das richtige Gateway auf der Seite des Nodes setzen, oder seine Taste 5 Sekunden halten, damit der Router eine Adresse vergibt (DHCP).',
    outside:
      'Die feste Adresse {address} passt nicht in dieses Netz: eine passende auf der Seite des Nodes setzen, oder seine Taste 5 Sekunden halten, damit der Router eine vergibt (DHCP).',
    silentGateway: 'Der Router {gateway} hat dem Node nicht geantwortet.',
    alone:
      'In diesem WLAN antwortet nur der Router. Finden andere Geräte diese Seite nicht, trennt es seine Geräte voneinander (ein Gastnetz): ein anderes oder ein Kabel verwenden.',
  },
  fr: {
    taken:
      'L’adresse fixe {address} n’est pas utilisée, car un autre appareil l’a : en définir une libre sur la page du node, ou tenir son bouton 5 secondes pour que le routeur en donne une (DHCP).',
    no_gateway:
      'L’adresse fixe {address} n’est pas utilisée, car sa passerelle {gateway} ne répond pas : définir la bonne passerelle sur la page du node, ou tenir son bouton 5 secondes pour que le routeur donne une adresse (DHCP).',
    outside:
      'L’adresse fixe {address} ne convient pas à ce réseau : en définir une qui convient sur la page du node, ou tenir son bouton 5 secondes pour que le routeur en donne une (DHCP).',
    silentGateway: 'Le routeur {gateway} n’a pas répondu au node.',
    alone:
      'Dans ce Wi-Fi, seul le routeur répond. Si d’autres appareils ne trouvent pas cette page, il sépare ses appareils (un réseau invité) : en utiliser un autre, ou un câble.',
  },
  es: {
    taken:
      'La dirección fija {address} no se usa porque otro aparato la tiene: ponga una libre en la página del nodo, o mantenga su botón 5 segundos para que el router dé una (DHCP).',
    no_gateway:
      'La dirección fija {address} no se usa porque su puerta de enlace {gateway} no responde: ponga la correcta en la página del nodo, o mantenga su botón 5 segundos para que el router dé una dirección (DHCP).',
    outside:
      'La dirección fija {address} no es de esta red: ponga una que lo sea en la página del nodo, o mantenga su botón 5 segundos para que el router dé una (DHCP).',
    silentGateway: 'El router {gateway} no respondió al nodo.',
    alone:
      'En este Wi-Fi solo responde el router. Si otros dispositivos no encuentran esta página, la red separa sus dispositivos (una red de invitados): usar otra, o un cable.',
  },
  it: {
    taken:
      'L’indirizzo fisso {address} non è usato, perché un altro apparecchio lo ha: impostarne uno libero nella pagina del nodo, o tenere premuto il suo tasto per 5 secondi perché il router ne dia uno (DHCP).',
    no_gateway:
      'L’indirizzo fisso {address} non è usato, perché il suo gateway {gateway} non risponde: impostare quello giusto nella pagina del nodo, o tenere premuto il suo tasto per 5 secondi perché il router dia un indirizzo (DHCP).',
    outside:
      'L’indirizzo fisso {address} non è di questa rete: impostarne uno adatto nella pagina del nodo, o tenere premuto il suo tasto per 5 secondi perché il router ne dia uno (DHCP).',
    silentGateway: 'Il router {gateway} non ha risposto al nodo.',
    alone:
      'In questo Wi-Fi risponde solo il router. Se altri dispositivi non trovano questa pagina, la rete separa i suoi dispositivi (una rete ospiti): usarne un’altra, o un cavo.',
  },
  pt: {
    taken:
      'O endereço fixo {address} não é usado, porque outro aparelho o tem: defina um livre na página do nó, ou mantenha o botão premido 5 segundos para o router dar um (DHCP).',
    no_gateway:
      'O endereço fixo {address} não é usado, porque o seu gateway {gateway} não responde: defina o certo na página do nó, ou mantenha o botão premido 5 segundos para o router dar um endereço (DHCP).',
    outside:
      'O endereço fixo {address} não é desta rede: defina um que seja na página do nó, ou mantenha o botão premido 5 segundos para o router dar um (DHCP).',
    silentGateway: 'O router {gateway} não respondeu ao nó.',
    alone:
      'Neste Wi-Fi só o router responde. Se outros dispositivos não encontram esta página, a rede separa os seus dispositivos (uma rede de convidados): usar outra, ou um cabo.',
  },
  nl: {
    taken:
      'Het vaste adres {address} wordt niet gebruikt, omdat een ander apparaat het heeft: stel een vrij adres in op de pagina van de node, of houd zijn knop 5 seconden ingedrukt zodat de router er een geeft (DHCP).',
    no_gateway:
      'Het vaste adres {address} wordt niet gebruikt, omdat zijn gateway {gateway} niet antwoordt: stel de juiste in op de pagina van de node, of houd zijn knop 5 seconden ingedrukt zodat de router een adres geeft (DHCP).',
    outside:
      'Het vaste adres {address} past niet in dit netwerk: stel een passend adres in op de pagina van de node, of houd zijn knop 5 seconden ingedrukt zodat de router er een geeft (DHCP).',
    silentGateway: 'De router {gateway} heeft de node niet geantwoord.',
    alone:
      'Op deze wifi antwoordt alleen de router. Vinden andere apparaten deze pagina niet, dan houdt het zijn apparaten gescheiden (een gastnetwerk): gebruik een ander, of een kabel.',
  },
  pl: {
    taken:
      'Stały adres {address} nie jest używany, bo ma go inne urządzenie: ustaw wolny na stronie node’a albo przytrzymaj jego przycisk 5 sekund, aby router nadał adres (DHCP).',
    no_gateway:
      'Stały adres {address} nie jest używany, bo jego brama {gateway} nie odpowiada: ustaw właściwą na stronie node’a albo przytrzymaj jego przycisk 5 sekund, aby router nadał adres (DHCP).',
    outside:
      'Stały adres {address} nie pasuje do tej sieci: ustaw pasujący na stronie node’a albo przytrzymaj jego przycisk 5 sekund, aby router nadał adres (DHCP).',
    silentGateway: 'Router {gateway} nie odpowiedział węzłowi.',
    alone:
      'W tej sieci Wi-Fi odpowiada tylko router. Jeśli inne urządzenia nie znajdują tej strony, sieć rozdziela swoje urządzenia (sieć dla gości): użyj innej albo kabla.',
  },
};
