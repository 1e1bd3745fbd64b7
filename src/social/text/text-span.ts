/** A part of a text in UTF-16 units, the end exclusive. */
export type TextSpan = { readonly start: number; readonly end: number }
