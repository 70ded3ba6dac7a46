/**
 * How phones, computers and consoles look for the internet, from the public record: each with the page that it is known
 * from. What they expect differs; that every one of them is led to the portal does not.
 */

const CHROMIUM = 'https://www.chromium.org/chromium-os/chromiumos-design-docs/network-portal-detection';
const CHINA = 'https://github.com/kaixuan1115/notes/issues/22';
const ESP = 'https://github.com/tonyp7/esp32-wifi-manager/issues/57';
const JUUL = 'https://sudoroom.org/wiki/Mesh/Firmware/Splash_page';
const NCSI = 'https://learn.microsoft.com/en-us/windows-hardware/drivers/mobilebroadband/captive-portals';
const NINTENDO = 'https://github.com/kinnay/NintendoClients/wiki/Connection-Test';
const OS_LIST = 'https://github.com/Ass-Sniper/enterprise_ap_impl/blob/main/docs/os-portal-detection.md';
const SHIELD = 'https://github.com/OpenShock/Firmware (RFC8908Handler)';
const WIKI = 'https://wiki.ding.net/index.php?title=Detecting_captive_portals';
const CODE9527 = 'https://coolapk-code9527-github-io.pages.dev (generate_204)';
const CTRL = 'https://www.ctrl.blog/entry/network-connection-http-checks';
const LIST_204 = 'https://github.com/xlc520/xlc520.github.io (src/other/generate_204)';
const WIFIDOG = 'https://github.com/liudf0716/apfree-wifidog (its list of probe names)';
const PLAYSTATION = 'https://toreanderson.github.io/2021/02/23/ipv6-support-in-the-playstation-5.html';
const STEAM = 'Steam client, connection log: "Connectivity test: Starting test, fetching"';
const C_LIST = 'https://github.com/Un1Gfn/jangaehwepi/blob/master/connectivitycheck.h';

/** A request of a phone: its sender, where it goes, with which header fields beside Host, and where that is told. */
export interface Probe {
  readonly who: string;
  readonly host: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly source: string;
}

const probe = (who: string, url: string, source: string, headers?: Probe['headers']): Probe => {
  const [, host = '', path = ''] = /^http:\/\/([^/]+)(\/.*)$/.exec(url) ?? [];
  return { who, host, path, source, ...(headers !== undefined && { headers }) };
};

const WISPR = { 'user-agent': 'CaptiveNetworkSupport-443.120.2 wispr' };
const DALVIK = { 'user-agent': 'Dalvik/2.1.0 (Linux; U; Android 14; SM-S911B Build/UP1A)' };

export const PROBES: readonly Probe[] = [
  probe('iOS and macOS', 'http://captive.apple.com/hotspot-detect.html', WIKI),
  probe('iOS, its first look', 'http://captive.apple.com/hotspot-detect.html', JUUL, WISPR),
  probe('iOS, the root', 'http://captive.apple.com/', C_LIST, WISPR),
  probe('iOS 5', 'http://www.apple.com/library/test/success.html', JUUL, WISPR),
  probe('iOS 6', 'http://www.thinkdifferent.us/', WIKI, WISPR),
  probe('iOS 6, another', 'http://www.airport.us/', WIKI, WISPR),
  probe('iOS 6, a third', 'http://www.itools.info/', WIKI, WISPR),
  probe('iOS 6, a fourth', 'http://www.ibook.info/', WIKI, WISPR),
  probe('iOS 6, a fifth', 'http://www.appleiphonecell.com/', WIKI, WISPR),
  probe('Android', 'http://connectivitycheck.gstatic.com/generate_204', CODE9527, DALVIK),
  probe('Android, before', 'http://clients3.google.com/generate_204', JUUL, DALVIK),
  probe('Android 4', 'http://www.google.com/blank.html', JUUL),
  probe('Android, the way around', 'http://www.google.com/gen_204', SHIELD, DALVIK),
  probe('Android, of old', 'http://connectivitycheck.android.com/generate_204', C_LIST, DALVIK),
  probe('Android, another name', 'http://www.gstatic.com/generate_204', C_LIST, DALVIK),
  probe('Android in China', 'http://developers.google.cn/generate_204', CHINA, DALVIK),
  probe('Xiaomi', 'http://connect.rom.miui.com/generate_204', CHINA, DALVIK),
  probe('Samsung, told not to cache', 'http://connectivitycheck.gstatic.com/generate_204', ESP, {
    ...DALVIK,
    'cache-control': 'no-cache',
    'if-modified-since': 'Thu, 01 Jan 1970 00:00:00 GMT',
    'if-none-match': '*',
  }),
  probe('Huawei', 'http://connectivitycheck.platform.hicloud.com/generate_204', OS_LIST, DALVIK),
  probe('Huawei, another name', 'http://connectivitycheck.hicloud.com/generate_204', OS_LIST, DALVIK),
  probe('Huawei, its own page', 'http://wifi.huawei.com/', OS_LIST),
  probe(
    'GrapheneOS',
    'http://connectivitycheck.grapheneos.network/generate_204',
    'https://grapheneos.org/faq#default-connections',
    DALVIK,
  ),
  probe(
    'a phone of a German blog',
    'http://captiveportal.kuketz.de/generate_204',
    'https://www.kuketz-blog.de/empfehlungsecke/#captive-portal',
    DALVIK,
  ),
  probe('Chromium', 'http://www.gstatic.com/generate_204', CHROMIUM),
  probe(
    'Chromium, a name that nobody has',
    'http://w3t7nfhioa/',
    'https://gitlab.torproject.org/legacy/trac/-/wikis/doc/OONI/Tests/CaptivePortal',
  ),
  probe('Edge', 'http://edge.msftncsi.com/captiveportal/generate_204', CODE9527),
  probe('Windows', 'http://www.msftconnecttest.com/connecttest.txt', NCSI, { 'user-agent': 'Microsoft NCSI' }),
  probe('Windows, what it opens', 'http://www.msftconnecttest.com/redirect', NCSI),
  probe('Windows, by IPv6', 'http://ipv6.msftconnecttest.com/connecttest.txt', NCSI, {
    'user-agent': 'Microsoft NCSI',
  }),
  probe('Windows, the old way', 'http://www.msftncsi.com/ncsi.txt', JUUL),
  probe(
    'Firefox',
    'http://detectportal.firefox.com/canonical.html',
    'https://support.mozilla.org/en-US/kb/captive-portal',
  ),
  probe(
    'Firefox, by family',
    'http://detectportal.firefox.com/success.txt?ipv4',
    'https://support.mozilla.org/en-US/kb/captive-portal',
  ),
  probe('Kindle', 'http://spectrum.s3.amazonaws.com/kindle-wifi/wifistub.html', CTRL),
  probe('Fire OS', 'http://fireoscaptiveportal.com/generate_204', CTRL, DALVIK),
  probe(
    'GNOME',
    'http://nmcheck.gnome.org/check_network_status.txt',
    'https://wiki.archlinux.org/title/NetworkManager#Checking_connectivity',
  ),
  probe(
    'Arch Linux',
    'http://ping.archlinux.org/nm-check.txt',
    'https://wiki.archlinux.org/title/NetworkManager#Checking_connectivity',
  ),
  probe('Debian', 'http://network-test.debian.org/nm', 'https://blog.vorlons.info/archives/2017/03/'),
  probe(
    'Ubuntu',
    'http://connectivity-check.ubuntu.com/',
    'https://askubuntu.com/questions/1167177/set-url-for-captive-portal-detection',
  ),
  probe(
    'Fedora',
    'http://fedoraproject.org/static/hotspot.txt',
    'https://linuxconfig.org/how-to-prevent-networkmanager-connectivity-checking',
  ),
  probe('KDE', 'http://networkcheck.kde.org/', 'https://wiki.archlinux.org/title/NetworkManager#Captive_portals'),
  probe('Nintendo Switch', 'http://ctest.cdn.nintendo.net/', NINTENDO, { 'user-agent': 'NX NIFM/00' }),
  probe('Nintendo Switch 2', 'http://ctest.p01.ctest.srv.nintendo.net/', NINTENDO),
  probe('PlayStation 4 and 5', 'http://ena.net.playstation.net/netstart/ps4', PLAYSTATION),
  probe('Steam Deck', 'http://test.steampowered.com/204', STEAM),
  probe('vivo', 'http://wifi.vivo.com.cn/generate_204', LIST_204, DALVIK),
  probe('OPPO, OnePlus, realme', 'http://conn1.oppomobile.com/generate_204', WIFIDOG, DALVIK),
  probe('OPPO, its second name', 'http://conn2.oppomobile.com/generate_204', WIFIDOG, DALVIK),
  probe('Qualcomm in China', 'http://www.qualcomm.cn/generate_204', LIST_204, DALVIK),
  probe('Android by its maps', 'http://mt0.google.com/generate_204', LIST_204, DALVIK),
  probe('V2EX, set by hand', 'http://captive.v2ex.co/generate_204', CHINA, DALVIK),
  probe('Facebook', 'http://www.facebook.com/gen_204', C_LIST),
  probe('Cloudflare', 'http://cp.cloudflare.com/', C_LIST),
  probe('a VPN', 'http://www.cloudflare.com/cdn-cgi/trace', C_LIST),
  probe('who looks for a proxy', 'http://wpad/wpad.dat', 'RFC draft-ietf-wrec-wpad-01, 4.3'),
  probe('who looks for a captive portal API', 'http://192.0.2.1/captive-portal/api', SHIELD),
  probe('somebody who types a name', 'http://example.com/a/b?c=d', WIKI),
  probe('a path no route can have', 'http://example.com/%ff//../x', 'RFC 3986, 2.1'),
];
