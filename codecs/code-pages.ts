/**
 * The code pages of ESC/POS printers: the characters of the bytes 80 to FF, and the number of each page by make.
 * Tables: Unicode Consortium mappings (VENDORS/MICSFT, IBM 858, KZ-1048). Numbers of `ESC t n`: Epson TM-T20III and
 * TM-T88VI command manuals; for the other makes the tables of escpos-printer-db and ReceiptPrinterEncoder.
 */

const UPPER_HALVES = {
  cp437:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0',
  cp737:
    'ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩαβγδεζηθικλμνξοπρσςτυφχψ░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀ωάέήϊίόύϋώΆΈΉΊΌΎΏ±≥≤ΪΫ÷≈°∙·√ⁿ²■\u00a0',
  cp775:
    'ĆüéāäģåćłēŖŗīŹÄÅÉæÆōöĢ¢ŚśÖÜø£Ø×¤ĀĪóŻżź”¦©®¬½¼Ł«»░▒▓│┤ĄČĘĖ╣║╗╝ĮŠ┐└┴┬├─┼ŲŪ╚╔╩╦╠═╬Žąčęėįšųūž┘┌█▄▌▐▀ÓßŌŃõÕµńĶķĻļņĒŅ’\u00ad±“¾¶§÷„°∙·¹³²■\u00a0',
  cp850:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0',
  cp852:
    'ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u00ad˝˛ˇ˘§÷¸°¨˙űŘř■\u00a0',
  cp857:
    'ÇüéâäàåçêëèïîıÄÅÉæÆôöòûùİÖÜø£ØŞşáíóúñÑĞğ¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ºªÊËÈ\ufffdÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµ\ufffd×ÚÛÙìÿ¯´\u00ad±\ufffd¾¶§÷¸°¨·¹³²■\u00a0',
  cp858:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈ€ÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0',
  cp866:
    'АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмноп░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀рстуфхцчшщъыьэюяЁёЄєЇїЎў°∙·√№¤■\u00a0',
  cp1250:
    '€\ufffd‚\ufffd„…†‡\ufffd‰Š‹ŚŤŽŹ\ufffd‘’“”•–—\ufffd™š›śťžź\u00a0ˇ˘Ł¤Ą¦§¨©Ş«¬\u00ad®Ż°±˛ł´µ¶·¸ąş»Ľ˝ľżŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢßŕáâăäĺćçčéęëěíîďđńňóôőö÷řůúűüýţ˙',
  cp1251:
    'ЂЃ‚ѓ„…†‡€‰Љ‹ЊЌЋЏђ‘’“”•–—\ufffd™љ›њќћџ\u00a0ЎўЈ¤Ґ¦§Ё©Є«¬\u00ad®Ї°±Ііґµ¶·ё№є»јЅѕїАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмнопрстуфхцчшщъыьэюя',
  cp1252:
    '€\ufffd‚ƒ„…†‡ˆ‰Š‹Œ\ufffdŽ\ufffd\ufffd‘’“”•–—˜™š›œ\ufffdžŸ\u00a0¡¢£¤¥¦§¨©ª«¬\u00ad®¯°±²³´µ¶·¸¹º»¼½¾¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ',
  cp1253:
    '€\ufffd‚ƒ„…†‡\ufffd‰\ufffd‹\ufffd\ufffd\ufffd\ufffd\ufffd‘’“”•–—\ufffd™\ufffd›\ufffd\ufffd\ufffd\ufffd\u00a0΅Ά£¤¥¦§¨©\ufffd«¬\u00ad®―°±²³΄µ¶·ΈΉΊ»Ό½ΎΏΐΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡ\ufffdΣΤΥΦΧΨΩΪΫάέήίΰαβγδεζηθικλμνξοπρςστυφχψωϊϋόύώ\ufffd',
  cp1254:
    '€\ufffd‚ƒ„…†‡ˆ‰Š‹Œ\ufffd\ufffd\ufffd\ufffd‘’“”•–—˜™š›œ\ufffd\ufffdŸ\u00a0¡¢£¤¥¦§¨©ª«¬\u00ad®¯°±²³´µ¶·¸¹º»¼½¾¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏĞÑÒÓÔÕÖ×ØÙÚÛÜİŞßàáâãäåæçèéêëìíîïğñòóôõö÷øùúûüışÿ',
  cp1257:
    '€\ufffd‚\ufffd„…†‡\ufffd‰\ufffd‹\ufffd¨ˇ¸\ufffd‘’“”•–—\ufffd™\ufffd›\ufffd¯˛\ufffd\u00a0\ufffd¢£¤\ufffd¦§Ø©Ŗ«¬\u00ad®Æ°±²³´µ¶·ø¹ŗ»¼½¾æĄĮĀĆÄÅĘĒČÉŹĖĢĶĪĻŠŃŅÓŌÕÖ×ŲŁŚŪÜŻŽßąįāćäåęēčéźėģķīļšńņóōõö÷ųłśūüżž˙',
  rk1048:
    'ЂЃ‚ѓ„…†‡€‰Љ‹ЊҚҺЏђ‘’“”•–—\ufffd™љ›њқһџ\u00a0ҰұӘ¤Ө¦§Ё©Ғ«¬\u00ad®Ү°±Ііөµ¶·ё№ғ»әҢңүАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмнопрстуфхцчшщъыьэюя',
} as const;

export type CodePage = keyof typeof UPPER_HALVES;

/** Whether there is a code page of this name, as `cp437`. */
export const isCodePage = (name: string): name is CodePage => Object.hasOwn(UPPER_HALVES, name);

/** A code page and the n of `ESC t n` that selects it on this make. */
export interface NumberedPage {
  readonly n: number;
  readonly page: CodePage;
}

const numbered = (pages: string): readonly NumberedPage[] =>
  pages.split(', ').map((entry) => {
    const [page, n] = entry.split(' ');
    return { n: Number(n), page: page as CodePage };
  });

/**
 * The pages of each make, in the order in which they are tried. Greek comes before 437, which has only some Greek letters.
 * Pages that add no character are left out, and so are right-to-left ones: printers do not reorder text. Older Epson
 * printers (TM-T88III manual, ESC t) and Citizen's (command reference, ESC t) have Cyrillic in page 866 only: the Serbian,
 * Macedonian and Ukrainian letters that it lacks are printed as block letters.
 */
export const MAKES = {
  epson: numbered(
    'cp1252 16, cp858 19, cp852 18, cp866 17, cp737 14, cp437 0, cp1251 46, cp1253 47, cp1250 45, cp1254 48, cp1257 51, cp775 33, rk1048 53',
  ),
  'epson-legacy': numbered('cp1252 16, cp858 19, cp852 18, cp866 17, cp437 0'),
  bixolon: numbered(
    'cp1252 16, cp858 19, cp852 18, cp866 17, cp737 29, cp437 0, cp1251 28, cp1253 24, cp1250 47, cp1254 25, cp1257 26, cp775 30',
  ),
  citizen: numbered('cp1252 16, cp858 2, cp852 18, cp866 17, cp437 0, cp857 8'),
  xprinter: numbered('cp1252 16, cp858 19, cp852 18, cp866 17, cp737 24, cp437 0, cp1251 23, cp1253 7, cp1257 25'),
  'pos-5890': numbered(
    'cp1252 16, cp858 19, cp852 18, cp866 17, cp737 24, cp437 0, cp1251 23, cp1253 90, cp1250 72, cp1254 91, cp1257 25, cp775 95',
  ),
  'pos-8360': numbered(
    'cp1252 16, cp858 19, cp852 18, cp866 17, cp737 24, cp437 0, cp1251 23, cp1253 7, cp1250 72, cp1254 91, cp1257 25, cp775 95',
  ),
  mpt: numbered('cp850 2, cp437 0, cp866 7, cp1251 6'),
} as const;

export type Make = keyof typeof MAKES;

/** The character of a byte of 20 or above in this page. */
export const characterOf = (page: CodePage, byte: number): string =>
  byte < 0x80 ? String.fromCharCode(byte) : UPPER_HALVES[page].charAt(byte - 0x80);

/** Larger than every character code of the tables (the largest is the black square, U+25A0). */
const TABLE_SIZE = 0x2600;
/** Control characters, soft hyphen, combining marks: no printer shows them as Unicode defines them. */
const unprintable = () => /[\p{Cc}\p{M}\u00ad\ufffd]/u;

const tables = new Map<CodePage, Uint8Array>();

/** A table from character code (below `TABLE_SIZE`) to the byte that prints it; 0 where the page lacks the character. */
export function byteTable(page: CodePage): Uint8Array {
  const made = tables.get(page);
  if (made !== undefined) return made;
  const table = new Uint8Array(TABLE_SIZE);
  for (let code = 0x20; code < 0x7f; code += 1) table[code] = code;
  for (const [index, char] of [...UPPER_HALVES[page]].entries()) {
    if (!unprintable().test(char)) table[char.charCodeAt(0)] = 0x80 + index;
  }
  tables.set(page, table);
  return table;
}
