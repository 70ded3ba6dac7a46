/** `tillnode/codec`: what a codec is to the kernel, and the events that it makes. */
export * from '../../codecs/codec.ts';
