/** Words of the notices that this room prints. */
import type { Catalogue } from '../../base/language.ts';

const en = {
  connect: 'Connect me to Wi-Fi',
  join: '1. Join this network: point the camera of a phone at the code, or type',
  open: '2. If no page opens by itself, open',
  choose: 'and choose the network of the shop.',
  ready: 'I am ready',
  page: 'My page, for computers and phones on this network:',
  alone:
    'In this network only the router answers. If computers and phones do not find my page, it keeps its devices apart (a guest network): use another one.',
} as const;

export const words: Catalogue<typeof en> = {
  en,
  de: {
    connect: 'Mit WLAN verbinden',
    join: '1. Diesem Netz beitreten: den Code mit der Kamera eines Telefons erfassen, oder eingeben',
    open: '2. Öffnet sich keine Seite von selbst, diese öffnen',
    choose: 'und das Netz des Geschäfts wählen.',
    ready: 'Ich bin bereit',
    page: 'Meine Seite, für Computer und Telefone in diesem Netz:',
    alone:
      'In diesem Netz antwortet nur der Router. Finden Computer und Telefone meine Seite nicht, trennt es seine Geräte voneinander (ein Gastnetz): ein anderes verwenden.',
  },
  fr: {
    connect: 'Connecter au Wi-Fi',
    join: '1. Rejoindre ce réseau : viser le code avec la caméra d’un téléphone, ou saisir',
    open: '2. Si aucune page ne s’ouvre d’elle-même, ouvrir',
    choose: 'et choisir le réseau du magasin.',
    ready: 'Je suis prêt',
    page: 'Ma page, pour les ordinateurs et téléphones de ce réseau :',
    alone:
      'Dans ce réseau, seul le routeur répond. Si ordinateurs et téléphones ne trouvent pas ma page, il sépare ses appareils (un réseau invité) : en utiliser un autre.',
  },
  es: {
    connect: 'Conectar al Wi-Fi',
    join: '1. Unirse a esta red: apuntar al código con la cámara de un teléfono, o escribir',
    open: '2. Si no se abre ninguna página por sí sola, abrir',
    choose: 'y elegir la red de la tienda.',
    ready: 'Estoy listo',
    page: 'Mi página, para ordenadores y teléfonos de esta red:',
    alone:
      'En esta red solo responde el router. Si los ordenadores y teléfonos no encuentran mi página, la red separa sus dispositivos (una red de invitados): usar otra.',
  },
  it: {
    connect: 'Collegare al Wi-Fi',
    join: '1. Entrare in questa rete: inquadrare il codice con la fotocamera di un telefono, o digitare',
    open: '2. Se non si apre da sola nessuna pagina, aprire',
    choose: 'e scegliere la rete del negozio.',
    ready: 'Sono pronto',
    page: 'La mia pagina, per computer e telefoni di questa rete:',
    alone:
      'In questa rete risponde solo il router. Se computer e telefoni non trovano la mia pagina, la rete separa i suoi dispositivi (una rete ospiti): usarne un’altra.',
  },
  pt: {
    connect: 'Ligar ao Wi-Fi',
    join: '1. Entrar nesta rede: apontar a câmara de um telefone para o código, ou escrever',
    open: '2. Se nenhuma página abrir por si, abrir',
    choose: 'e escolher a rede da loja.',
    ready: 'Estou pronto',
    page: 'A minha página, para computadores e telefones desta rede:',
    alone:
      'Nesta rede só o router responde. Se computadores e telefones não encontram a minha página, a rede separa os seus dispositivos (uma rede de convidados): usar outra.',
  },
  nl: {
    connect: 'Verbinden met wifi',
    join: '1. Ga naar dit netwerk: richt de camera van een telefoon op de code, of typ',
    open: '2. Opent er vanzelf geen pagina, open dan',
    choose: 'en kies het netwerk van de winkel.',
    ready: 'Ik ben klaar',
    page: 'Mijn pagina, voor computers en telefoons op dit netwerk:',
    alone:
      'Op dit netwerk antwoordt alleen de router. Vinden computers en telefoons mijn pagina niet, dan houdt het zijn apparaten gescheiden (een gastnetwerk): gebruik een ander.',
  },
  pl: {
    connect: 'Połącz z Wi-Fi',
    join: '1. Dołącz do tej sieci: skieruj aparat telefonu na kod albo wpisz',
    open: '2. Jeśli żadna strona sama się nie otworzy, otwórz',
    choose: 'i wybierz sieć sklepu.',
    ready: 'Jestem gotowy',
    page: 'Moja strona, dla komputerów i telefonów w tej sieci:',
    alone:
      'W tej sieci odpowiada tylko router. Jeśli komputery i telefony nie znajdują mojej strony, sieć rozdziela swoje urządzenia (sieć dla gości): użyj innej.',
  },
};
