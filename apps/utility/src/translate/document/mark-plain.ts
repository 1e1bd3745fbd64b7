/** A masked range of a text, from `start` up to, not including, `end`. */
export type MaskedRange = { readonly start: number; readonly end: number; readonly isOrdered: boolean }

/** One kind of masked text: where it may begin, and its pattern, which is tried there. */
type Rule = {
  readonly form: RegExp
  /** Whether it begins only at the start of a word. */
  readonly isWord?: boolean
  readonly isOrdered?: boolean
}

/** Tried in this order; each is linear in its input. */
const PLAIN_RULES: readonly Rule[] = [
  { form: /(?:https?|ftp|wss?|ipfs|file):\/\/[^\s<>"'`⟦⟧|\\]+/iuy, isWord: true },
  { form: /(?:mailto:|tel:|www\.)[^\s<>"'`⟦⟧|\\]+/iuy, isWord: true },
  { form: /[\p{L}\p{N}._%+-]{1,64}@(?:[\p{L}\p{N}-]+\.)+\p{L}{2,}/uy, isWord: true },
  // User handles.
  { form: /@[\p{L}\p{N}_][\p{L}\p{N}_.-]*(?<![.-])/uy, isWord: true },
  // Identifiers: with an underscore, called, or options of commands.
  { form: /[\p{L}\p{N}]+(?:_+[\p{L}\p{N}]+)+(?:\(\))?/uy, isWord: true },
  { form: /[\p{L}_$][\p{L}\p{N}$.]*\(\)/uy, isWord: true },
  { form: /--[a-z][\w-]*/iuy, isWord: true },
  // Paths.
  { form: /(?:~|\.{1,2})?(?:\/[\w.@%+:-]+)+\/?(?<![.:])/uy, isWord: true },
  // Placeholders: {{x}}, {% x %}, {name}, ${name}, $NAME, %(name)s, %{name}, %1$s, %s, %%, %NAME%.
  { form: /\$?\{\{[^{}\n]*\}\}|\{%[^{}\n]*%\}|\$?\{[^{}\n]*\}|\$[A-Za-z_]\w*/uy },
  { form: /%\{[^{}\n]*\}|%%|%[A-Z][A-Z_]*%/uy },
  { form: /%(?:\d+\$|\([\w.]+\))?[-+#0]*\d*(?:\.\d+)?l?[sdifuxXeEgGcpo@](?![\p{L}\p{N}])/uy },
  { form: /:[a-z][a-z0-9_+-]*:/uy, isWord: true },
  { form: /&(?:#\d+|#x[\da-f]+|[a-z][a-z\d]*);/iuy },
  { form: /<!--(?:(?!-->)[\s\S])*-->/uy, isOrdered: true },
  { form: /<\/?[\p{L}_][^<>]*>/uy, isOrdered: true },
  // Characters with a meaning for a translator, and control characters.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are looked for
  { form: /[⟦⟧\ue000-\uf8ff\ufeff\uffff\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029]+/uy },
  { form: /[{}<>]/uy },
]

const isWordCharacter = (character: string | undefined) =>
  character !== undefined && /[\p{L}\p{N}_]/u.test(character)

/** The match of the rules at a position, or null; a URL ends before the punctuation of its sentence. */
export function matchRules(text: string, at: number): MaskedRange | null {
  const isInWord = isWordCharacter(text[at - 1])
  for (const { form, isWord, isOrdered } of PLAIN_RULES) {
    if (isWord && isInWord) continue
    form.lastIndex = at
    const found = form.exec(text)?.[0]
    if (found === undefined) continue
    const retained = isWord ? trimSentence(found) : found
    if (retained !== '') return { start: at, end: at + retained.length, isOrdered: isOrdered ?? false }
  }
  return null
}

function trimSentence(found: string): string {
  let retained = found.replace(/[.,;:!?*_~]+$/, '')
  while (
    /[)\]]$/.test(retained) &&
    count(retained, retained.at(-1) ?? '') > count(retained, retained.endsWith(')') ? '(' : '[')
  ) {
    retained = retained.slice(0, -1).replace(/[.,;:!?*_~]+$/, '')
  }
  return retained
}

function count(text: string, character: string): number {
  return text.split(character).length - 1
}

export function markPlain(text: string): MaskedRange[] {
  const marks: MaskedRange[] = []
  for (let at = 0; at < text.length; ) {
    const mark = matchRules(text, at)
    if (mark) marks.push(mark)
    at = mark ? mark.end : at + 1
  }
  return marks
}
