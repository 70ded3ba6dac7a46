/** The program of `npm run fleet`. */
import '../../runtime/fleet/main.ts';
