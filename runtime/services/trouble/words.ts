/** Words of the page "It does not print": `says_CODE` are sentences of conditions and outcomes, `do_TOPIC` what to do. */
import type { Catalogue } from '../../base/language.ts';

const en = {
  title: 'It does not print',
  intro:
    'Each sentence that this page or a program may tell of the node, and what to do. First look at the printer: is it on, closed, and has it paper?',
  todo: 'What to do',
  send: 'For whoever helps',
  sendAbout:
    'One text with the state of the node, its last jobs, its USB devices and its starts. It holds no key, no password and no receipt.',
  collect: 'Collect the text',
  download: 'Download the text',
  collected: 'Here it is: save it, and send it to whoever helps.',
  says_never_seen: 'Not plugged in',
  says_gone: 'It was plugged in, and is gone',
  says_silent: 'Plugged in, but it does not say how it is',
  says_garbled: 'What it says of itself is broken',
  says_bound: 'Ready',
  says_offline: 'The printer takes nothing now',
  says_no_bus: 'There is no USB bus',
  says_no_access: 'The node may not use its USB sockets',
  says_running: 'The job is under way',
  says_accepted: 'Sent to the printer',
  says_confirmed: 'The printer says that it was printed',
  says_unconfirmed: 'Sent; the printer did not confirm it',
  says_partial: 'Broken off; something may have been printed',
  says_uncertain: 'A receipt may be half printed',
  says_failed: 'Not printed',
  says_asleep: 'The scale is asleep',
  says_absent: 'No scale is plugged in',
  says_refused: 'The scale cannot be used',
  says_reading: 'The scale weighs',
  says_under_zero: 'The weight is below zero',
  says_over_limit: 'Too much is on the scale',
  says_needs_calibration: 'The scale asks to be calibrated',
  says_needs_rezero: 'The scale asks to be set to zero',
  says_fault: 'The scale tells a fault',
  do_plug:
    'Look whether the device is switched on and its lamps are lit. Push the cable in at both ends, or take another cable and another socket of the node, and wait ten seconds. A drawer is plugged into the printer, never into the node.',
  do_full: 'Each device takes places on the USB bus, and all are taken. Unplug a device that is not needed.',
  do_bus:
    'The node reaches no USB sockets. Restart it. On a computer of your own the program needs the right to use USB devices, which the Debian package gives it.',
  do_held:
    'Another program on this machine uses the device, often a printer queue of the system. End the program or remove the queue, then unplug the device and plug it in again.',
  do_language:
    'This node speaks to receipt printers (ESC/POS). Many label printers have ESC/POS in their own menu: choose it there, and switch the printer off and on. Otherwise another printer is needed.',
  do_unknown:
    'Nothing in this node knows the device. Look for a newer image under “Update”. Under “Devices” there is a recipe row of it to send in: with a complete row the node learns it.',
  do_second:
    'The node has places for only so many of these. Unplug the one that is not needed, or give the other one a node of its own.',
  do_cable:
    'Take another cable, without adapter or hub, and another socket of the node. Switch the device off, wait ten seconds, and on again. A printer that never says how it is prints all the same: print a test receipt.',
  do_variant: 'This box is made for other devices. Another variant of the node drives this one: ask whoever sold it.',
  do_cover:
    'Close the cover until it clicks. If the lamp goes on blinking, paper or cutter are stuck: switch the printer off, take the paper out, put it in again.',
  do_paper:
    'Open the cover and put a roll in, its end coming out at the front from below, then close. If receipts come out blank, the roll is the wrong way round.',
  do_offline:
    'Look at the lamps of the printer and its display. Press its feed button once. Switch it off and on. If it became too hot, wait some minutes.',
  do_doubt:
    'Bytes went to the printer, and nobody knows how far it came. Look at the paper. Print again only if the receipt is not there, or is not whole: a second copy may cost money.',
  do_busy:
    'Nothing is broken: others are served first, or the node is about to restart. Wait ten seconds and try again. “Recent jobs” shows who prints.',
  do_program:
    'The program that prints sent something that the node does not take. To send it again gives the same. Give the text from this page to whoever made the program: the words in brackets say which part is meant.',
  do_browser:
    'Open this page by an address that the overview names, in a tab of its own. A web shop cannot print from its own page in a browser: its server asks, or a program on the till.',
  do_key:
    'The node is locked. Whoever set it up has the API key, and for updates the update key. If they are lost, hold the button of the node for 15 seconds: both keys are cleared.',
  do_memory:
    'The node is short of memory or of space, or has a fault. Wait a minute and try again. If it comes back, restart the node, and send the text from this page to whoever helps.',
  do_settings:
    'What was entered breaks a rule, or does not fit what is set already; the words in brackets say where. Nothing was changed. A recording has to be started before it can be read.',
  do_cloud: 'Receipts print without the cloud. Look at URL and token under “Cloud”, and whether the shop has internet.',
  do_update:
    'Nothing was changed: the node goes on with what it has. Take an image for exactly this variant, download it again, and try once more when no update is under way. A computer of your own is updated by its package.',
  do_network:
    'Look at the name and password of the Wi-Fi, capitals too, and whether the node has a radio for its band. After a loss of its settings, hold the setup button for about 5 seconds first. A computer of your own sets its network itself.',
  do_reach:
    'Is the node switched on, and its network cable in? Are this device and the node in the same network, and not in a guest Wi-Fi? Restart the router, then the node. Its address stands on the slip that it prints when it starts.',
  do_sent:
    'The bytes left for the printer. If nothing came out: is the roll the right way round, did another printer take it, and does the test receipt of the overview come out?',
  do_failed:
    'Nothing was printed, so it may be printed again. The reason stands beside the job under “Recent jobs”: look it up on this page.',
  do_scale:
    'Press a key of the scale to wake it. Take everything off, let it come to rest, press zero, and weigh again. A scale that asks for calibration goes to its service: selling by it may be forbidden.',
} as const;

export const words: Catalogue<typeof en> = {
  en,
  de: {
    title: 'Es druckt nicht',
    intro:
      'Jeder Satz, den diese Seite oder ein Programm über den Node sagen kann, und was zu tun ist. Zuerst auf den Drucker sehen: Ist er an, geschlossen, und hat er Papier?',
    todo: 'Was tun?',
    send: 'Für den, der hilft',
    sendAbout:
      'Ein Text mit dem Zustand des Nodes, seinen letzten Aufträgen, USB-Geräten und Starts. Er enthält keinen Schlüssel, kein Passwort und keinen Bon.',
    collect: 'Den Text zusammenstellen',
    download: 'Den Text herunterladen',
    collected: 'Hier ist er: speichern und an den schicken, der hilft.',
    says_never_seen: 'Nicht angeschlossen',
    says_gone: 'Es war angeschlossen und ist weg',
    says_silent: 'Angeschlossen, sagt aber nicht, wie es ihm geht',
    says_garbled: 'Was es von sich sagt, ist gestört',
    says_bound: 'Bereit',
    says_offline: 'Der Drucker nimmt gerade nichts an',
    says_no_bus: 'Es gibt keinen USB-Bus',
    says_no_access: 'Der Node darf seine USB-Anschlüsse nicht verwenden',
    says_running: 'Der Auftrag läuft',
    says_accepted: 'An den Drucker gesendet',
    says_confirmed: 'Der Drucker sagt, dass es gedruckt ist',
    says_unconfirmed: 'Gesendet; der Drucker hat es nicht bestätigt',
    says_partial: 'Abgebrochen; etwas kann gedruckt sein',
    says_uncertain: 'Ein Bon kann halb gedruckt sein',
    says_failed: 'Nicht gedruckt',
    says_asleep: 'Die Waage schläft',
    says_absent: 'Keine Waage ist angeschlossen',
    says_refused: 'Die Waage ist nicht verwendbar',
    says_reading: 'Die Waage wiegt',
    says_under_zero: 'Das Gewicht ist unter null',
    says_over_limit: 'Auf der Waage liegt zu viel',
    says_needs_calibration: 'Die Waage verlangt eine Kalibrierung',
    says_needs_rezero: 'Die Waage verlangt, auf null gestellt zu werden',
    says_fault: 'Die Waage meldet einen Fehler',
    do_plug:
      'Nachsehen, ob das Gerät eingeschaltet ist und seine Lampen leuchten. Das Kabel an beiden Enden fest einstecken, oder ein anderes Kabel und einen anderen Anschluss des Nodes nehmen, und zehn Sekunden warten. Eine Lade steckt am Drucker, nie am Node.',
    do_full:
      'Jedes Gerät belegt Plätze am USB-Bus, und alle sind belegt. Ein Gerät abziehen, das nicht gebraucht wird.',
    do_bus:
      'Der Node erreicht keine USB-Anschlüsse. Ihn neu starten. Auf einem eigenen Rechner braucht das Programm das Recht, USB-Geräte zu verwenden; das Debian-Paket gibt es ihm.',
    do_held:
      'Ein anderes Programm auf diesem Rechner verwendet das Gerät, oft eine Druckwarteschlange des Systems. Das Programm beenden oder die Warteschlange entfernen, dann das Gerät abziehen und wieder anstecken.',
    do_language:
      'Dieser Node spricht mit Bondruckern (ESC/POS). Viele Etikettendrucker haben ESC/POS in ihrem eigenen Menü: dort wählen, dann den Drucker aus- und einschalten. Sonst wird ein anderer Drucker gebraucht.',
    do_unknown:
      'Nichts in diesem Node kennt das Gerät. Unter „Update“ nach einem neueren Image suchen. Unter „Geräte“ steht eine Rezeptzeile dafür zum Einsenden: Mit einer vollständigen Zeile lernt der Node es.',
    do_second:
      'Der Node hat nur für so viele davon Platz. Das abziehen, das nicht gebraucht wird, oder dem anderen einen eigenen Node geben.',
    do_cable:
      'Ein anderes Kabel ohne Adapter oder Hub und einen anderen Anschluss des Nodes nehmen. Das Gerät ausschalten, zehn Sekunden warten, wieder einschalten. Ein Drucker, der nie sagt, wie es ihm geht, druckt trotzdem: einen Testbon drucken.',
    do_variant:
      'Dieses Gerät ist für andere Geräte gemacht. Eine andere Variante des Nodes treibt es: beim Verkäufer fragen.',
    do_cover:
      'Den Deckel schließen, bis er einrastet. Blinkt die Lampe weiter, klemmt das Papier oder das Messer: den Drucker ausschalten, das Papier herausnehmen und neu einlegen.',
    do_paper:
      'Den Deckel öffnen und eine Rolle einlegen, ihr Ende vorn von unten, dann schließen. Kommen leere Bons heraus, liegt die Rolle verkehrt herum.',
    do_offline:
      'Auf die Lampen und die Anzeige des Druckers sehen. Einmal seine Vorschubtaste drücken. Ihn aus- und einschalten. Ist er zu heiß, einige Minuten warten.',
    do_doubt:
      'Bytes gingen an den Drucker, und niemand weiß, wie weit er kam. Auf das Papier sehen. Nur noch einmal drucken, wenn der Bon fehlt oder nicht ganz ist: Ein zweiter kann Geld kosten.',
    do_busy:
      'Nichts ist kaputt: Andere sind zuerst an der Reihe, oder der Node startet gleich neu. Zehn Sekunden warten und noch einmal versuchen. „Letzte Aufträge“ zeigt, wer druckt.',
    do_program:
      'Das Programm, das druckt, hat etwas gesendet, das der Node nicht annimmt. Noch einmal senden ergibt dasselbe. Den Text von dieser Seite dem Hersteller des Programms geben: Die Worte in Klammern sagen, welcher Teil gemeint ist.',
    do_browser:
      'Diese Seite unter einer Adresse öffnen, die die Übersicht nennt, in einem eigenen Tab. Ein Webshop kann nicht von seiner Seite im Browser drucken: Sein Server fragt, oder ein Programm auf der Kasse.',
    do_key:
      'Der Node ist gesperrt. Wer ihn eingerichtet hat, hat den API-Schlüssel und für Updates den Update-Schlüssel. Sind sie verloren, die Taste des Nodes 15 Sekunden halten: Beide Schlüssel werden gelöscht.',
    do_memory:
      'Dem Node fehlt Speicher oder Platz, oder er hat einen Fehler. Eine Minute warten und noch einmal versuchen. Kommt es wieder, den Node neu starten und den Text von dieser Seite dem schicken, der hilft.',
    do_settings:
      'Was eingegeben wurde, verletzt eine Regel oder passt nicht zu dem, was schon eingestellt ist; die Worte in Klammern sagen, wo. Nichts wurde geändert. Eine Aufzeichnung muss erst gestartet werden, bevor man sie liest.',
    do_cloud:
      'Bons werden auch ohne Cloud gedruckt. URL und Token unter „Cloud“ ansehen, und ob der Laden Internet hat.',
    do_update:
      'Nichts wurde geändert: Der Node läuft mit dem weiter, was er hat. Ein Image für genau diese Variante nehmen, neu herunterladen und noch einmal versuchen, wenn kein Update läuft. Ein eigener Rechner wird durch sein Paket aktualisiert.',
    do_network:
      'Auf Namen und Passwort des WLANs sehen, auch auf Großbuchstaben, und ob der Node ein Funkgerät für das Band hat. Nach einem Verlust der Einstellungen zuerst die Einrichtungstaste etwa 5 Sekunden halten. Ein eigener Rechner stellt sein Netz selbst ein.',
    do_reach:
      'Ist der Node eingeschaltet, und steckt sein Netzkabel? Sind dieses Gerät und der Node im selben Netz und nicht in einem Gäste-WLAN? Den Router neu starten, dann den Node. Seine Adresse steht auf dem Zettel, den er beim Start druckt.',
    do_sent:
      'Die Bytes sind zum Drucker gegangen. Kam nichts heraus: Liegt die Rolle richtig herum, hat ein anderer Drucker ihn, und kommt der Testbon der Übersicht heraus?',
    do_failed:
      'Nichts wurde gedruckt, also darf man noch einmal drucken. Der Grund steht beim Auftrag unter „Letzte Aufträge“: auf dieser Seite nachsehen.',
    do_scale:
      'Eine Taste der Waage drücken, damit sie aufwacht. Alles herunternehmen, zur Ruhe kommen lassen, null drücken und neu wiegen. Eine Waage, die eine Kalibrierung verlangt, geht zum Service: Mit ihr zu verkaufen kann verboten sein.',
  },
  fr: {
    title: 'Rien ne s’imprime',
    intro:
      'Chaque phrase que cette page ou un programme peut dire du node, et que faire. D’abord regarder l’imprimante : est-elle allumée, fermée, et a-t-elle du papier ?',
    todo: 'Que faire',
    send: 'Pour qui aide',
    sendAbout:
      'Un texte avec l’état du node, ses derniers travaux, ses appareils USB et ses démarrages. Il ne contient ni clé, ni mot de passe, ni ticket.',
    collect: 'Rassembler le texte',
    download: 'Télécharger le texte',
    collected: 'Le voici : l’enregistrer et l’envoyer à qui aide.',
    says_never_seen: 'Non branché',
    says_gone: 'Il était branché, et n’est plus là',
    says_silent: 'Branché, mais il ne dit pas son état',
    says_garbled: 'Ce qu’il dit de lui est brouillé',
    says_bound: 'Prêt',
    says_offline: 'L’imprimante n’accepte rien',
    says_no_bus: 'Il n’y a pas de bus USB',
    says_no_access: 'Le node n’a pas le droit d’utiliser ses ports USB',
    says_running: 'Le travail est en cours',
    says_accepted: 'Envoyé à l’imprimante',
    says_confirmed: 'L’imprimante dit que c’est imprimé',
    says_unconfirmed: 'Envoyé ; l’imprimante ne l’a pas confirmé',
    says_partial: 'Interrompu ; quelque chose a pu être imprimé',
    says_uncertain: 'Un ticket est peut-être imprimé à moitié',
    says_failed: 'Non imprimé',
    says_asleep: 'La balance dort',
    says_absent: 'Aucune balance n’est branchée',
    says_refused: 'La balance n’est pas utilisable',
    says_reading: 'La balance pèse',
    says_under_zero: 'Le poids est sous zéro',
    says_over_limit: 'La balance est trop chargée',
    says_needs_calibration: 'La balance demande un étalonnage',
    says_needs_rezero: 'La balance demande une remise à zéro',
    says_fault: 'La balance signale un défaut',
    do_plug:
      'Regarder si l’appareil est allumé et ses voyants aussi. Enfoncer le câble aux deux bouts, ou prendre un autre câble et un autre port du node, et attendre dix secondes. Un tiroir se branche sur l’imprimante, jamais sur le node.',
    do_full:
      'Chaque appareil prend des places sur le bus USB, et toutes sont prises. Débrancher un appareil dont personne n’a besoin.',
    do_bus:
      'Le node n’atteint aucun port USB. Le redémarrer. Sur un ordinateur à soi, le programme a besoin du droit d’utiliser les appareils USB, que le paquet Debian lui donne.',
    do_held:
      'Un autre programme de cette machine utilise l’appareil, souvent une file d’impression du système. Arrêter le programme ou supprimer la file, puis débrancher et rebrancher l’appareil.',
    do_language:
      'Ce node parle aux imprimantes de tickets (ESC/POS). Beaucoup d’imprimantes d’étiquettes ont ESC/POS dans leur propre menu : le choisir là, puis éteindre et rallumer. Sinon il faut une autre imprimante.',
    do_unknown:
      'Rien dans ce node ne connaît l’appareil. Chercher une image plus récente sous « Mise à jour ». Sous « Appareils » se trouve une ligne de recette à envoyer : avec une ligne complète, le node l’apprend.',
    do_second:
      'Le node n’a de place que pour un certain nombre d’entre eux. Débrancher celui qui est de trop, ou donner à l’autre son propre node.',
    do_cable:
      'Prendre un autre câble, sans adaptateur ni hub, et un autre port du node. Éteindre l’appareil, attendre dix secondes, rallumer. Une imprimante qui ne dit jamais son état imprime quand même : imprimer un ticket d’essai.',
    do_variant:
      'Ce boîtier est fait pour d’autres appareils. Une autre variante du node pilote celui-ci : demander au vendeur.',
    do_cover:
      'Fermer le capot jusqu’au déclic. Si le voyant clignote encore, le papier ou le couteau est coincé : éteindre l’imprimante, sortir le papier, le remettre.',
    do_paper:
      'Ouvrir le capot et mettre un rouleau, le bout sortant devant par le bas, puis fermer. Si les tickets sortent blancs, le rouleau est à l’envers.',
    do_offline:
      'Regarder les voyants et l’écran de l’imprimante. Appuyer une fois sur son bouton d’avance. L’éteindre et la rallumer. Si elle est trop chaude, attendre quelques minutes.',
    do_doubt:
      'Des octets sont partis vers l’imprimante, et personne ne sait jusqu’où elle est allée. Regarder le papier. N’imprimer à nouveau que si le ticket manque ou n’est pas entier : un double peut coûter de l’argent.',
    do_busy:
      'Rien n’est cassé : d’autres passent d’abord, ou le node va redémarrer. Attendre dix secondes et réessayer. « Derniers travaux » montre qui imprime.',
    do_program:
      'Le programme qui imprime a envoyé quelque chose que le node n’accepte pas. L’envoyer à nouveau donne la même chose. Donner le texte de cette page à qui a fait le programme : les mots entre parenthèses disent de quelle partie il s’agit.',
    do_browser:
      'Ouvrir cette page par une adresse que la vue d’ensemble nomme, dans un onglet à elle. Une boutique en ligne ne peut pas imprimer depuis sa page dans un navigateur : c’est son serveur qui demande, ou un programme sur la caisse.',
    do_key:
      'Le node est verrouillé. Qui l’a installé a la clé API, et pour les mises à jour la clé de mise à jour. Si elles sont perdues, tenir le bouton du node 15 secondes : les deux clés sont effacées.',
    do_memory:
      'Le node manque de mémoire ou de place, ou a un défaut. Attendre une minute et réessayer. Si cela revient, redémarrer le node et envoyer le texte de cette page à qui aide.',
    do_settings:
      'Ce qui a été saisi enfreint une règle ou ne va pas avec ce qui est déjà réglé ; les mots entre parenthèses disent où. Rien n’a été changé. Un enregistrement doit être démarré avant d’être lu.',
    do_cloud:
      'Les tickets s’impriment sans le cloud. Regarder l’URL et le jeton sous « Cloud », et si le magasin a Internet.',
    do_update:
      'Rien n’a été changé : le node continue avec ce qu’il a. Prendre une image pour exactement cette variante, la télécharger à nouveau, et réessayer quand aucune mise à jour n’est en cours. Un ordinateur à soi se met à jour par son paquet.',
    do_network:
      'Regarder le nom et le mot de passe du Wi-Fi, majuscules comprises, et si le node a une radio pour sa bande. Après une perte des réglages, tenir d’abord le bouton d’installation environ 5 secondes. Un ordinateur à soi règle son réseau lui-même.',
    do_reach:
      'Le node est-il allumé, et son câble réseau branché ? Cet appareil et le node sont-ils dans le même réseau, et pas dans un Wi-Fi invité ? Redémarrer le routeur, puis le node. Son adresse est sur le billet qu’il imprime au démarrage.',
    do_sent:
      'Les octets sont partis vers l’imprimante. Si rien n’est sorti : le rouleau est-il à l’endroit, une autre imprimante l’a-t-elle pris, et le ticket d’essai de la vue d’ensemble sort-il ?',
    do_failed:
      'Rien n’a été imprimé : on peut imprimer à nouveau. La raison est à côté du travail sous « Derniers travaux » : la chercher sur cette page.',
    do_scale:
      'Appuyer sur une touche de la balance pour la réveiller. Tout enlever, la laisser se stabiliser, appuyer sur zéro et peser à nouveau. Une balance qui demande un étalonnage va au service : vendre avec elle peut être interdit.',
  },
  es: {
    title: 'No imprime',
    intro:
      'Cada frase que esta página o un programa puede decir del nodo, y qué hacer. Primero mire la impresora: ¿está encendida, cerrada y con papel?',
    todo: 'Qué hacer',
    send: 'Para quien ayuda',
    sendAbout:
      'Un texto con el estado del nodo, sus últimos trabajos, sus aparatos USB y sus arranques. No contiene claves, contraseñas ni recibos.',
    collect: 'Reunir el texto',
    download: 'Descargar el texto',
    collected: 'Aquí está: guárdelo y envíelo a quien ayuda.',
    says_never_seen: 'No conectado',
    says_gone: 'Estaba conectado y ya no está',
    says_silent: 'Conectado, pero no dice cómo está',
    says_garbled: 'Lo que dice de sí llega dañado',
    says_bound: 'Listo',
    says_offline: 'La impresora no acepta nada ahora',
    says_no_bus: 'No hay bus USB',
    says_no_access: 'El nodo no puede usar sus puertos USB',
    says_running: 'El trabajo está en curso',
    says_accepted: 'Enviado a la impresora',
    says_confirmed: 'La impresora dice que está impreso',
    says_unconfirmed: 'Enviado; la impresora no lo ha confirmado',
    says_partial: 'Interrumpido; puede haberse impreso algo',
    says_uncertain: 'Un recibo puede estar impreso a medias',
    says_failed: 'No impreso',
    says_asleep: 'La balanza duerme',
    says_absent: 'No hay ninguna balanza conectada',
    says_refused: 'La balanza no se puede usar',
    says_reading: 'La balanza pesa',
    says_under_zero: 'El peso está bajo cero',
    says_over_limit: 'Hay demasiado en la balanza',
    says_needs_calibration: 'La balanza pide calibración',
    says_needs_rezero: 'La balanza pide ponerla a cero',
    says_fault: 'La balanza indica un fallo',
    do_plug:
      'Mire si el aparato está encendido y sus luces también. Meta bien el cable en ambos extremos, o pruebe otro cable y otro puerto del nodo, y espere diez segundos. El cajón se conecta a la impresora, nunca al nodo.',
    do_full:
      'Cada aparato ocupa puestos en el bus USB, y todos están ocupados. Desconecte un aparato que no haga falta.',
    do_bus:
      'El nodo no alcanza ningún puerto USB. Reinícielo. En un ordenador propio, el programa necesita permiso para usar aparatos USB; el paquete de Debian se lo da.',
    do_held:
      'Otro programa de esta máquina usa el aparato, a menudo una cola de impresión del sistema. Cierre el programa o quite la cola; luego desconecte el aparato y vuelva a conectarlo.',
    do_language:
      'Este nodo habla con impresoras de recibos (ESC/POS). Muchas impresoras de etiquetas tienen ESC/POS en su propio menú: elíjalo allí y apague y encienda la impresora. Si no, hace falta otra impresora.',
    do_unknown:
      'Nada en este nodo conoce el aparato. Busque una imagen más nueva en «Actualización». En «Aparatos» hay una fila de receta para enviar: con una fila completa, el nodo lo aprende.',
    do_second:
      'El nodo solo tiene sitio para cierto número de ellos. Desconecte el que sobre, o dé al otro un nodo propio.',
    do_cable:
      'Use otro cable, sin adaptador ni hub, y otro puerto del nodo. Apague el aparato, espere diez segundos y enciéndalo. Una impresora que nunca dice cómo está imprime igualmente: imprima un recibo de prueba.',
    do_variant:
      'Esta caja está hecha para otros aparatos. Otra variante del nodo maneja este: pregunte a quien la vendió.',
    do_cover:
      'Cierre la tapa hasta que haga clic. Si la luz sigue parpadeando, el papel o la cuchilla están atascados: apague la impresora, saque el papel y vuelva a ponerlo.',
    do_paper:
      'Abra la tapa y ponga un rollo, con la punta saliendo por delante desde abajo, y cierre. Si los recibos salen en blanco, el rollo está al revés.',
    do_offline:
      'Mire las luces y la pantalla de la impresora. Pulse una vez su botón de avance. Apáguela y enciéndala. Si está demasiado caliente, espere unos minutos.',
    do_doubt:
      'Salieron bytes hacia la impresora, y nadie sabe hasta dónde llegó. Mire el papel. Imprima de nuevo solo si el recibo falta o no está entero: un duplicado puede costar dinero.',
    do_busy:
      'Nada está roto: otros van primero, o el nodo va a reiniciarse. Espere diez segundos e inténtelo de nuevo. «Últimos trabajos» muestra quién imprime.',
    do_program:
      'El programa que imprime envió algo que el nodo no acepta. Enviarlo otra vez da lo mismo. Dé el texto de esta página a quien hizo el programa: las palabras entre paréntesis dicen de qué parte se trata.',
    do_browser:
      'Abra esta página con una dirección que nombra el resumen, en una pestaña propia. Una tienda web no puede imprimir desde su página en un navegador: pregunta su servidor, o un programa en la caja.',
    do_key:
      'El nodo está bloqueado. Quien lo instaló tiene la clave API, y para actualizar la clave de actualización. Si se han perdido, mantenga el botón del nodo 15 segundos: ambas claves se borran.',
    do_memory:
      'Al nodo le falta memoria o espacio, o tiene un fallo. Espere un minuto e inténtelo de nuevo. Si vuelve, reinicie el nodo y envíe el texto de esta página a quien ayuda.',
    do_settings:
      'Lo introducido incumple una regla o no encaja con lo ya configurado; las palabras entre paréntesis dicen dónde. No se ha cambiado nada. Una grabación se inicia antes de leerla.',
    do_cloud: 'Los recibos se imprimen sin la nube. Mire la URL y el token en «Nube», y si la tienda tiene internet.',
    do_update:
      'No se ha cambiado nada: el nodo sigue con lo que tiene. Tome una imagen para exactamente esta variante, descárguela otra vez y vuelva a intentarlo cuando no haya otra actualización en curso. Un ordenador propio se actualiza con su paquete.',
    do_network:
      'Mire el nombre y la contraseña del wifi, también las mayúsculas, y si el nodo tiene radio para su banda. Tras perder los ajustes, mantenga primero el botón de configuración unos 5 segundos. Un ordenador propio configura su red él mismo.',
    do_reach:
      '¿Está el nodo encendido y su cable de red puesto? ¿Están este aparato y el nodo en la misma red, y no en un wifi de invitados? Reinicie el router y luego el nodo. Su dirección está en la nota que imprime al arrancar.',
    do_sent:
      'Los bytes salieron hacia la impresora. Si no salió nada: ¿está bien puesto el rollo, lo tomó otra impresora, y sale el recibo de prueba del resumen?',
    do_failed:
      'No se imprimió nada, así que se puede imprimir de nuevo. El motivo está junto al trabajo en «Últimos trabajos»: búsquelo en esta página.',
    do_scale:
      'Pulse una tecla de la balanza para despertarla. Quite todo, deje que se estabilice, pulse cero y pese de nuevo. Una balanza que pide calibración va al servicio: vender con ella puede estar prohibido.',
  },
  it: {
    title: 'Non stampa',
    intro:
      'Ogni frase che questa pagina o un programma può dire del nodo, e che cosa fare. Prima guardare la stampante: è accesa, chiusa, e ha carta?',
    todo: 'Che cosa fare',
    send: 'Per chi aiuta',
    sendAbout:
      'Un testo con lo stato del nodo, gli ultimi lavori, gli apparecchi USB e gli avvii. Non contiene chiavi, password né scontrini.',
    collect: 'Raccogliere il testo',
    download: 'Scaricare il testo',
    collected: 'Eccolo: salvarlo e mandarlo a chi aiuta.',
    says_never_seen: 'Non collegato',
    says_gone: 'Era collegato, e non c’è più',
    says_silent: 'Collegato, ma non dice come sta',
    says_garbled: 'Ciò che dice di sé è disturbato',
    says_bound: 'Pronto',
    says_offline: 'La stampante ora non accetta nulla',
    says_no_bus: 'Non c’è un bus USB',
    says_no_access: 'Il nodo non può usare le sue porte USB',
    says_running: 'Il lavoro è in corso',
    says_accepted: 'Inviato alla stampante',
    says_confirmed: 'La stampante dice che è stampato',
    says_unconfirmed: 'Inviato; la stampante non lo ha confermato',
    says_partial: 'Interrotto; qualcosa può essere stato stampato',
    says_uncertain: 'Uno scontrino può essere stampato a metà',
    says_failed: 'Non stampato',
    says_asleep: 'La bilancia dorme',
    says_absent: 'Nessuna bilancia è collegata',
    says_refused: 'La bilancia non è utilizzabile',
    says_reading: 'La bilancia pesa',
    says_under_zero: 'Il peso è sotto zero',
    says_over_limit: 'Sulla bilancia c’è troppo',
    says_needs_calibration: 'La bilancia chiede la taratura',
    says_needs_rezero: 'La bilancia chiede l’azzeramento',
    says_fault: 'La bilancia segnala un guasto',
    do_plug:
      'Guardare se l’apparecchio è acceso, con le spie accese. Spingere il cavo a fondo da entrambe le parti, o prendere un altro cavo e un’altra porta del nodo, e attendere dieci secondi. Il cassetto si collega alla stampante, mai al nodo.',
    do_full:
      'Ogni apparecchio occupa posti sul bus USB, e tutti sono occupati. Scollegare un apparecchio che non serve.',
    do_bus:
      'Il nodo non raggiunge porte USB. Riavviarlo. Su un proprio computer il programma ha bisogno del diritto di usare apparecchi USB, che il pacchetto Debian gli dà.',
    do_held:
      'Un altro programma di questa macchina usa l’apparecchio, spesso una coda di stampa del sistema. Chiudere il programma o togliere la coda, poi scollegare e ricollegare l’apparecchio.',
    do_language:
      'Questo nodo parla con stampanti di scontrini (ESC/POS). Molte stampanti di etichette hanno ESC/POS nel proprio menu: sceglierlo lì, poi spegnere e riaccendere. Altrimenti serve un’altra stampante.',
    do_unknown:
      'Nulla in questo nodo conosce l’apparecchio. Cercare un’immagine più recente in «Aggiornamento». In «Apparecchi» c’è una riga di ricetta da inviare: con una riga completa il nodo lo impara.',
    do_second:
      'Il nodo ha posto solo per un certo numero di questi. Scollegare quello che non serve, o dare all’altro un nodo proprio.',
    do_cable:
      'Prendere un altro cavo, senza adattatore né hub, e un’altra porta del nodo. Spegnere l’apparecchio, attendere dieci secondi, riaccendere. Una stampante che non dice mai come sta stampa lo stesso: stampare uno scontrino di prova.',
    do_variant:
      'Questa scatola è fatta per altri apparecchi. Un’altra variante del nodo guida questo: chiedere a chi l’ha venduta.',
    do_cover:
      'Chiudere il coperchio fino allo scatto. Se la spia lampeggia ancora, la carta o la taglierina è bloccata: spegnere la stampante, togliere la carta e rimetterla.',
    do_paper:
      'Aprire il coperchio e mettere un rotolo, con la punta che esce davanti dal basso, poi chiudere. Se gli scontrini escono bianchi, il rotolo è al contrario.',
    do_offline:
      'Guardare le spie e il display della stampante. Premere una volta il tasto di avanzamento. Spegnerla e riaccenderla. Se è troppo calda, attendere qualche minuto.',
    do_doubt:
      'Dei byte sono andati alla stampante, e nessuno sa fin dove è arrivata. Guardare la carta. Stampare di nuovo solo se lo scontrino manca o non è intero: un doppione può costare denaro.',
    do_busy:
      'Nulla è rotto: altri hanno la precedenza, o il nodo sta per riavviarsi. Attendere dieci secondi e riprovare. «Ultimi lavori» mostra chi stampa.',
    do_program:
      'Il programma che stampa ha inviato qualcosa che il nodo non accetta. Inviarlo di nuovo dà lo stesso. Dare il testo di questa pagina a chi ha fatto il programma: le parole tra parentesi dicono quale parte è intesa.',
    do_browser:
      'Aprire questa pagina con un indirizzo che la panoramica nomina, in una scheda propria. Un negozio web non può stampare dalla sua pagina in un browser: chiede il suo server, o un programma sulla cassa.',
    do_key:
      'Il nodo è bloccato. Chi l’ha installato ha la chiave API, e per gli aggiornamenti la chiave di aggiornamento. Se sono perse, tenere il pulsante del nodo 15 secondi: entrambe le chiavi si cancellano.',
    do_memory:
      'Al nodo manca memoria o spazio, o ha un guasto. Attendere un minuto e riprovare. Se ritorna, riavviare il nodo e mandare il testo di questa pagina a chi aiuta.',
    do_settings:
      'Ciò che è stato inserito viola una regola o non va con quanto è già impostato; le parole tra parentesi dicono dove. Nulla è stato cambiato. Una registrazione va avviata prima di leggerla.',
    do_cloud: 'Gli scontrini si stampano senza il cloud. Guardare URL e token in «Cloud», e se il negozio ha internet.',
    do_update:
      'Nulla è stato cambiato: il nodo continua con ciò che ha. Prendere un’immagine per questa esatta variante, scaricarla di nuovo e riprovare quando nessun aggiornamento è in corso. Un proprio computer si aggiorna con il suo pacchetto.',
    do_network:
      'Guardare nome e password del Wi-Fi, anche le maiuscole, e se il nodo ha una radio per la sua banda. Dopo una perdita delle impostazioni tenere prima il pulsante di configurazione circa 5 secondi. Un proprio computer imposta da sé la rete.',
    do_reach:
      'Il nodo è acceso, e il suo cavo di rete è inserito? Questo apparecchio e il nodo sono nella stessa rete, e non in un Wi-Fi ospiti? Riavviare il router, poi il nodo. Il suo indirizzo è sul foglietto che stampa all’avvio.',
    do_sent:
      'I byte sono partiti verso la stampante. Se non è uscito nulla: il rotolo è nel verso giusto, l’ha preso un’altra stampante, ed esce lo scontrino di prova della panoramica?',
    do_failed:
      'Nulla è stato stampato, quindi si può stampare di nuovo. Il motivo è accanto al lavoro in «Ultimi lavori»: cercarlo in questa pagina.',
    do_scale:
      'Premere un tasto della bilancia per svegliarla. Togliere tutto, lasciarla fermare, premere zero e pesare di nuovo. Una bilancia che chiede la taratura va all’assistenza: vendere con essa può essere vietato.',
  },
  pt: {
    title: 'Não imprime',
    intro:
      'Cada frase que esta página ou um programa pode dizer do nó, e o que fazer. Primeiro veja a impressora: está acesa, fechada e com papel?',
    todo: 'O que fazer',
    send: 'Para quem ajuda',
    sendAbout:
      'Um texto com o estado do nó, os últimos trabalhos, os aparelhos USB e os arranques. Não contém chaves, palavras-passe nem recibos.',
    collect: 'Reunir o texto',
    download: 'Descarregar o texto',
    collected: 'Aqui está: guarde-o e envie-o a quem ajuda.',
    says_never_seen: 'Não ligado',
    says_gone: 'Estava ligado e já não está',
    says_silent: 'Ligado, mas não diz como está',
    says_garbled: 'O que diz de si chega danificado',
    says_bound: 'Pronto',
    says_offline: 'A impressora não aceita nada agora',
    says_no_bus: 'Não há barramento USB',
    says_no_access: 'O nó não pode usar as suas portas USB',
    says_running: 'O trabalho está em curso',
    says_accepted: 'Enviado à impressora',
    says_confirmed: 'A impressora diz que está impresso',
    says_unconfirmed: 'Enviado; a impressora não o confirmou',
    says_partial: 'Interrompido; algo pode ter sido impresso',
    says_uncertain: 'Um recibo pode estar impresso a meio',
    says_failed: 'Não impresso',
    says_asleep: 'A balança dorme',
    says_absent: 'Nenhuma balança está ligada',
    says_refused: 'A balança não pode ser usada',
    says_reading: 'A balança pesa',
    says_under_zero: 'O peso está abaixo de zero',
    says_over_limit: 'Há demasiado na balança',
    says_needs_calibration: 'A balança pede calibração',
    says_needs_rezero: 'A balança pede para ser posta a zero',
    says_fault: 'A balança indica uma falha',
    do_plug:
      'Veja se o aparelho está aceso e com as luzes acesas. Meta bem o cabo nas duas pontas, ou use outro cabo e outra porta do nó, e espere dez segundos. A gaveta liga-se à impressora, nunca ao nó.',
    do_full:
      'Cada aparelho ocupa lugares no barramento USB, e todos estão ocupados. Desligue um aparelho que não seja preciso.',
    do_bus:
      'O nó não alcança portas USB. Reinicie-o. Num computador próprio, o programa precisa do direito de usar aparelhos USB; o pacote Debian dá-lho.',
    do_held:
      'Outro programa desta máquina usa o aparelho, muitas vezes uma fila de impressão do sistema. Feche o programa ou remova a fila; depois desligue o aparelho e volte a ligá-lo.',
    do_language:
      'Este nó fala com impressoras de recibos (ESC/POS). Muitas impressoras de etiquetas têm ESC/POS no seu próprio menu: escolha-o aí e apague e acenda a impressora. Caso contrário, é precisa outra impressora.',
    do_unknown:
      'Nada neste nó conhece o aparelho. Procure uma imagem mais nova em «Atualização». Em «Aparelhos» há uma linha de receita para enviar: com uma linha completa, o nó aprende-o.',
    do_second:
      'O nó só tem lugar para um certo número deles. Desligue o que não é preciso, ou dê ao outro um nó próprio.',
    do_cable:
      'Use outro cabo, sem adaptador nem hub, e outra porta do nó. Apague o aparelho, espere dez segundos e acenda-o. Uma impressora que nunca diz como está imprime na mesma: imprima um recibo de teste.',
    do_variant: 'Esta caixa é feita para outros aparelhos. Outra variante do nó conduz este: pergunte a quem a vendeu.',
    do_cover:
      'Feche a tampa até ouvir um clique. Se a luz continuar a piscar, o papel ou a lâmina está preso: apague a impressora, tire o papel e volte a pô-lo.',
    do_paper:
      'Abra a tampa e ponha um rolo, com a ponta a sair à frente por baixo, e feche. Se os recibos saem em branco, o rolo está ao contrário.',
    do_offline:
      'Veja as luzes e o visor da impressora. Prima uma vez o botão de avanço. Apague-a e acenda-a. Se estiver quente demais, espere alguns minutos.',
    do_doubt:
      'Saíram bytes para a impressora, e ninguém sabe até onde chegou. Veja o papel. Imprima de novo só se o recibo faltar ou não estiver inteiro: um duplicado pode custar dinheiro.',
    do_busy:
      'Nada está avariado: outros estão primeiro, ou o nó vai reiniciar. Espere dez segundos e tente de novo. «Últimos trabalhos» mostra quem imprime.',
    do_program:
      'O programa que imprime enviou algo que o nó não aceita. Enviá-lo outra vez dá o mesmo. Dê o texto desta página a quem fez o programa: as palavras entre parênteses dizem de que parte se trata.',
    do_browser:
      'Abra esta página por um endereço que a visão geral indica, num separador próprio. Uma loja web não pode imprimir da sua página num navegador: pede o seu servidor, ou um programa na caixa.',
    do_key:
      'O nó está bloqueado. Quem o instalou tem a chave API e, para atualizar, a chave de atualização. Se se perderam, segure o botão do nó 15 segundos: as duas chaves são apagadas.',
    do_memory:
      'Falta memória ou espaço ao nó, ou tem uma falha. Espere um minuto e tente de novo. Se voltar, reinicie o nó e envie o texto desta página a quem ajuda.',
    do_settings:
      'O que foi introduzido viola uma regra ou não condiz com o que já está definido; as palavras entre parênteses dizem onde. Nada foi alterado. Uma gravação tem de ser iniciada antes de ser lida.',
    do_cloud: 'Os recibos imprimem-se sem a nuvem. Veja o URL e o token em «Nuvem», e se a loja tem internet.',
    do_update:
      'Nada foi alterado: o nó continua com o que tem. Use uma imagem para exatamente esta variante, descarregue-a outra vez e tente de novo quando não houver outra atualização em curso. Um computador próprio atualiza-se pelo seu pacote.',
    do_network:
      'Veja o nome e a palavra-passe do Wi-Fi, também as maiúsculas, e se o nó tem rádio para a banda. Depois de perder as definições, segure primeiro o botão de configuração cerca de 5 segundos. Um computador próprio define ele mesmo a rede.',
    do_reach:
      'O nó está aceso, e com o cabo de rede ligado? Este aparelho e o nó estão na mesma rede, e não num Wi-Fi de convidados? Reinicie o router e depois o nó. O endereço está no papel que ele imprime ao arrancar.',
    do_sent:
      'Os bytes saíram para a impressora. Se nada saiu: o rolo está bem posto, outra impressora recebeu-o, e sai o recibo de teste da visão geral?',
    do_failed:
      'Nada foi impresso, por isso pode imprimir de novo. O motivo está junto do trabalho em «Últimos trabalhos»: procure-o nesta página.',
    do_scale:
      'Prima uma tecla da balança para a acordar. Tire tudo, deixe-a estabilizar, prima zero e pese de novo. Uma balança que pede calibração vai à assistência: vender com ela pode ser proibido.',
  },
  nl: {
    title: 'Het drukt niet',
    intro:
      'Elke zin die deze pagina of een programma over de node kan zeggen, en wat te doen. Kijk eerst naar de printer: staat hij aan, is hij dicht, en heeft hij papier?',
    todo: 'Wat te doen',
    send: 'Voor wie helpt',
    sendAbout:
      'Eén tekst met de toestand van de node, zijn laatste opdrachten, USB-apparaten en starts. Er staat geen sleutel, wachtwoord of bon in.',
    collect: 'De tekst verzamelen',
    download: 'De tekst downloaden',
    collected: 'Hier is hij: bewaar hem en stuur hem naar wie helpt.',
    says_never_seen: 'Niet aangesloten',
    says_gone: 'Het was aangesloten en is weg',
    says_silent: 'Aangesloten, maar het zegt niet hoe het gaat',
    says_garbled: 'Wat het over zichzelf zegt is verstoord',
    says_bound: 'Klaar',
    says_offline: 'De printer neemt nu niets aan',
    says_no_bus: 'Er is geen USB-bus',
    says_no_access: 'De node mag zijn USB-poorten niet gebruiken',
    says_running: 'De opdracht is bezig',
    says_accepted: 'Naar de printer gestuurd',
    says_confirmed: 'De printer zegt dat het gedrukt is',
    says_unconfirmed: 'Gestuurd; de printer heeft het niet bevestigd',
    says_partial: 'Afgebroken; er kan iets gedrukt zijn',
    says_uncertain: 'Een bon kan half gedrukt zijn',
    says_failed: 'Niet gedrukt',
    says_asleep: 'De weegschaal slaapt',
    says_absent: 'Er is geen weegschaal aangesloten',
    says_refused: 'De weegschaal is niet bruikbaar',
    says_reading: 'De weegschaal weegt',
    says_under_zero: 'Het gewicht is onder nul',
    says_over_limit: 'Er ligt te veel op de weegschaal',
    says_needs_calibration: 'De weegschaal vraagt om kalibratie',
    says_needs_rezero: 'De weegschaal vraagt om op nul te worden gezet',
    says_fault: 'De weegschaal meldt een fout',
    do_plug:
      'Kijk of het apparaat aanstaat en de lampjes branden. Duw de kabel aan beide kanten goed vast, of neem een andere kabel en een andere poort van de node, en wacht tien seconden. Een lade zit aan de printer, nooit aan de node.',
    do_full:
      'Elk apparaat neemt plaatsen op de USB-bus in, en alle zijn bezet. Koppel een apparaat los dat niet nodig is.',
    do_bus:
      'De node bereikt geen USB-poorten. Start hem opnieuw. Op een eigen computer heeft het programma het recht nodig om USB-apparaten te gebruiken; het Debian-pakket geeft dat.',
    do_held:
      'Een ander programma op deze machine gebruikt het apparaat, vaak een afdrukwachtrij van het systeem. Sluit het programma of verwijder de wachtrij, en koppel het apparaat los en weer aan.',
    do_language:
      'Deze node spreekt met bonprinters (ESC/POS). Veel labelprinters hebben ESC/POS in hun eigen menu: kies het daar, en zet de printer uit en aan. Anders is een andere printer nodig.',
    do_unknown:
      'Niets in deze node kent het apparaat. Zoek onder “Update” naar een nieuwer image. Onder “Apparaten” staat een receptregel om in te sturen: met een volledige regel leert de node het.',
    do_second:
      'De node heeft maar voor een bepaald aantal hiervan plaats. Koppel los wat niet nodig is, of geef het andere een eigen node.',
    do_cable:
      'Neem een andere kabel, zonder adapter of hub, en een andere poort van de node. Zet het apparaat uit, wacht tien seconden, en weer aan. Een printer die nooit zegt hoe het gaat drukt toch: druk een testbon.',
    do_variant:
      'Dit kastje is voor andere apparaten gemaakt. Een andere variant van de node stuurt dit aan: vraag het de verkoper.',
    do_cover:
      'Sluit de klep tot hij klikt. Blijft het lampje knipperen, dan zit het papier of het mes vast: zet de printer uit, haal het papier eruit en leg het opnieuw in.',
    do_paper:
      'Open de klep en leg een rol in, met het eind vooraan van onderen, en sluit de klep. Komen er blanco bonnen uit, dan ligt de rol verkeerd om.',
    do_offline:
      'Kijk naar de lampjes en het scherm van de printer. Druk één keer op de doorvoerknop. Zet hem uit en aan. Is hij te heet, wacht dan enkele minuten.',
    do_doubt:
      'Er gingen bytes naar de printer, en niemand weet hoe ver hij kwam. Kijk naar het papier. Druk alleen opnieuw als de bon er niet is of niet heel is: een tweede kan geld kosten.',
    do_busy:
      'Er is niets kapot: anderen zijn eerst aan de beurt, of de node start zo opnieuw. Wacht tien seconden en probeer het opnieuw. “Laatste opdrachten” toont wie drukt.',
    do_program:
      'Het programma dat drukt heeft iets gestuurd wat de node niet aanneemt. Opnieuw sturen geeft hetzelfde. Geef de tekst van deze pagina aan wie het programma maakte: de woorden tussen haakjes zeggen welk deel bedoeld is.',
    do_browser:
      'Open deze pagina op een adres dat het overzicht noemt, in een eigen tabblad. Een webwinkel kan niet vanaf zijn pagina in een browser drukken: zijn server vraagt het, of een programma op de kassa.',
    do_key:
      'De node is vergrendeld. Wie hem heeft ingericht heeft de API-sleutel, en voor updates de update-sleutel. Zijn ze kwijt, houd dan de knop van de node 15 seconden vast: beide sleutels worden gewist.',
    do_memory:
      'De node komt geheugen of ruimte tekort, of heeft een fout. Wacht een minuut en probeer het opnieuw. Komt het terug, start de node dan opnieuw en stuur de tekst van deze pagina naar wie helpt.',
    do_settings:
      'Wat is ingevoerd breekt een regel of past niet bij wat al is ingesteld; de woorden tussen haakjes zeggen waar. Er is niets gewijzigd. Een opname moet worden gestart voordat ze gelezen kan worden.',
    do_cloud:
      'Bonnen worden zonder de cloud gedrukt. Kijk naar URL en token onder “Cloud”, en of de winkel internet heeft.',
    do_update:
      'Er is niets gewijzigd: de node gaat door met wat hij heeft. Neem een image voor precies deze variant, download het opnieuw, en probeer het nog eens als er geen update bezig is. Een eigen computer wordt door zijn pakket bijgewerkt.',
    do_network:
      'Kijk naar naam en wachtwoord van de wifi, ook naar hoofdletters, en of de node een radio voor de band heeft. Na verlies van de instellingen eerst de installatieknop ongeveer 5 seconden vasthouden. Een eigen computer stelt zijn netwerk zelf in.',
    do_reach:
      'Staat de node aan, en zit zijn netwerkkabel erin? Zitten dit apparaat en de node in hetzelfde netwerk, en niet op een gasten-wifi? Start de router opnieuw, dan de node. Zijn adres staat op het briefje dat hij bij de start drukt.',
    do_sent:
      'De bytes zijn naar de printer gegaan. Kwam er niets uit: ligt de rol goed om, nam een andere printer hem, en komt de testbon van het overzicht eruit?',
    do_failed:
      'Er is niets gedrukt, dus er mag opnieuw worden gedrukt. De reden staat bij de opdracht onder “Laatste opdrachten”: zoek die op deze pagina op.',
    do_scale:
      'Druk op een toets van de weegschaal om hem te wekken. Haal alles eraf, laat hem tot rust komen, druk op nul en weeg opnieuw. Een weegschaal die om kalibratie vraagt gaat naar de service: ermee verkopen kan verboden zijn.',
  },
  pl: {
    title: 'Nie drukuje',
    intro:
      'Każde zdanie, które ta strona lub program może powiedzieć o węźle, i co zrobić. Najpierw spójrz na drukarkę: czy jest włączona, zamknięta i ma papier?',
    todo: 'Co zrobić',
    send: 'Dla tego, kto pomaga',
    sendAbout:
      'Jeden tekst ze stanem węzła, ostatnimi zadaniami, urządzeniami USB i uruchomieniami. Nie zawiera kluczy, haseł ani paragonów.',
    collect: 'Zbierz tekst',
    download: 'Pobierz tekst',
    collected: 'Oto on: zapisz go i wyślij temu, kto pomaga.',
    says_never_seen: 'Niepodłączone',
    says_gone: 'Było podłączone i zniknęło',
    says_silent: 'Podłączone, ale nie mówi, w jakim jest stanie',
    says_garbled: 'To, co mówi o sobie, jest zakłócone',
    says_bound: 'Gotowe',
    says_offline: 'Drukarka teraz nic nie przyjmuje',
    says_no_bus: 'Nie ma magistrali USB',
    says_no_access: 'Węzeł nie może używać swoich portów USB',
    says_running: 'Zadanie jest w toku',
    says_accepted: 'Wysłano do drukarki',
    says_confirmed: 'Drukarka mówi, że wydrukowano',
    says_unconfirmed: 'Wysłano; drukarka tego nie potwierdziła',
    says_partial: 'Przerwano; coś mogło się wydrukować',
    says_uncertain: 'Paragon mógł się wydrukować w połowie',
    says_failed: 'Nie wydrukowano',
    says_asleep: 'Waga śpi',
    says_absent: 'Żadna waga nie jest podłączona',
    says_refused: 'Wagi nie można używać',
    says_reading: 'Waga waży',
    says_under_zero: 'Ciężar jest poniżej zera',
    says_over_limit: 'Na wadze jest za dużo',
    says_needs_calibration: 'Waga wymaga kalibracji',
    says_needs_rezero: 'Waga wymaga wyzerowania',
    says_fault: 'Waga zgłasza błąd',
    do_plug:
      'Sprawdź, czy urządzenie jest włączone i świecą się jego lampki. Wciśnij kabel z obu stron albo weź inny kabel i inny port węzła i poczekaj dziesięć sekund. Szufladę podłącza się do drukarki, nigdy do węzła.',
    do_full:
      'Każde urządzenie zajmuje miejsca na magistrali USB, a wszystkie są zajęte. Odłącz urządzenie, które nie jest potrzebne.',
    do_bus:
      'Węzeł nie ma dostępu do portów USB. Uruchom go ponownie. Na własnym komputerze program potrzebuje prawa do urządzeń USB, które daje mu pakiet Debiana.',
    do_held:
      'Urządzenia używa inny program na tym komputerze, często kolejka wydruku systemu. Zakończ program lub usuń kolejkę, potem odłącz urządzenie i podłącz je znowu.',
    do_language:
      'Ten węzeł rozmawia z drukarkami paragonów (ESC/POS). Wiele drukarek etykiet ma ESC/POS we własnym menu: wybierz je tam, potem wyłącz i włącz drukarkę. W innym razie potrzebna jest inna drukarka.',
    do_unknown:
      'Nic w tym węźle nie zna tego urządzenia. Poszukaj nowszego obrazu w „Aktualizacja”. W „Urządzenia” jest wiersz receptury do wysłania: z pełnym wierszem węzeł się go nauczy.',
    do_second:
      'Węzeł ma miejsce tylko dla pewnej liczby takich urządzeń. Odłącz to, które nie jest potrzebne, albo daj drugiemu własny węzeł.',
    do_cable:
      'Weź inny kabel, bez przejściówki i huba, i inny port węzła. Wyłącz urządzenie, poczekaj dziesięć sekund i włącz je. Drukarka, która nigdy nie mówi, w jakim jest stanie, i tak drukuje: wydrukuj paragon próbny.',
    do_variant: 'To urządzenie jest zrobione dla innych. Inny wariant węzła je obsługuje: zapytaj sprzedawcę.',
    do_cover:
      'Zamknij pokrywę, aż zaskoczy. Jeśli lampka dalej miga, zaciął się papier lub nóż: wyłącz drukarkę, wyjmij papier i włóż go ponownie.',
    do_paper:
      'Otwórz pokrywę i włóż rolkę, końcem do przodu od dołu, i zamknij. Jeśli paragony wychodzą puste, rolka leży odwrotnie.',
    do_offline:
      'Spójrz na lampki i wyświetlacz drukarki. Naciśnij raz przycisk wysuwu. Wyłącz ją i włącz. Jeśli jest za gorąca, poczekaj kilka minut.',
    do_doubt:
      'Bajty poszły do drukarki i nikt nie wie, jak daleko doszła. Spójrz na papier. Drukuj ponownie tylko, gdy paragonu nie ma albo nie jest cały: drugi może kosztować.',
    do_busy:
      'Nic się nie zepsuło: najpierw obsługiwani są inni albo węzeł zaraz uruchomi się ponownie. Poczekaj dziesięć sekund i spróbuj znowu. „Ostatnie zadania” pokazują, kto drukuje.',
    do_program:
      'Program, który drukuje, wysłał coś, czego węzeł nie przyjmuje. Ponowne wysłanie da to samo. Daj tekst z tej strony twórcy programu: słowa w nawiasie mówią, o którą część chodzi.',
    do_browser:
      'Otwórz tę stronę pod adresem, który podaje przegląd, w osobnej karcie. Sklep internetowy nie może drukować ze swojej strony w przeglądarce: prosi jego serwer albo program na kasie.',
    do_key:
      'Węzeł jest zablokowany. Klucz API, a do aktualizacji klucz aktualizacji, ma ten, kto go skonfigurował. Jeśli zginęły, przytrzymaj przycisk węzła przez 15 sekund: oba klucze zostaną usunięte.',
    do_memory:
      'Węzłowi brakuje pamięci lub miejsca albo ma błąd. Poczekaj minutę i spróbuj znowu. Jeśli to wraca, uruchom węzeł ponownie i wyślij tekst z tej strony temu, kto pomaga.',
    do_settings:
      'To, co wpisano, łamie regułę albo nie pasuje do obecnych ustawień; słowa w nawiasie mówią, gdzie. Nic nie zmieniono. Nagrywanie trzeba zacząć, zanim można je odczytać.',
    do_cloud: 'Paragony drukują się bez chmury. Sprawdź URL i token w „Chmura” oraz czy sklep ma internet.',
    do_update:
      'Nic nie zmieniono: węzeł działa dalej z tym, co ma. Weź obraz dokładnie dla tego wariantu, pobierz go ponownie i spróbuj jeszcze raz, gdy nie trwa inna aktualizacja. Własny komputer aktualizuje jego pakiet.',
    do_network:
      'Sprawdź nazwę i hasło Wi-Fi, także wielkie litery, oraz czy węzeł ma radio dla tego pasma. Po utracie ustawień najpierw przytrzymaj przycisk konfiguracji przez około 5 sekund. Własny komputer sam ustawia swoją sieć.',
    do_reach:
      'Czy węzeł jest włączony, a jego kabel sieciowy podłączony? Czy to urządzenie i węzeł są w tej samej sieci, a nie w Wi-Fi dla gości? Uruchom ponownie router, potem węzeł. Jego adres jest na kartce, którą drukuje przy starcie.',
    do_sent:
      'Bajty poszły do drukarki. Jeśli nic nie wyszło: czy rolka leży dobrze, czy nie wziął tego inna drukarka i czy wychodzi paragon próbny z przeglądu?',
    do_failed:
      'Nic nie wydrukowano, więc można drukować ponownie. Powód stoi przy zadaniu w „Ostatnie zadania”: znajdź go na tej stronie.',
    do_scale:
      'Naciśnij klawisz wagi, aby ją obudzić. Zdejmij wszystko, poczekaj, aż się uspokoi, naciśnij zero i zważ ponownie. Waga, która wymaga kalibracji, idzie do serwisu: sprzedaż na niej może być zabroniona.',
  },
};
