/** `tillnode/codec`: the types of codecs, and the events that they produce. */
export * from '../../codecs/codec.ts';
