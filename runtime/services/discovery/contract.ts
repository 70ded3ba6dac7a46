/** The node's identity for software that discovers printers by model (specification 1 and 2.6). */
import { Type } from '@sinclair/typebox';
import { closed, utf8 } from '../../kernel/schema.ts';

export const Profile = Type.Union([Type.Literal('generic'), Type.Literal('custom')]);

const Name = Type.Optional(utf8(63, { minLength: 1 }));
/** TXT values of the profile `custom` (Bonjour Printing Specification 1.2.1, 9.2). */
export const CustomProfile = closed({ make: Name, model: Name, ty: Name, product: Name, pdl: Name });
