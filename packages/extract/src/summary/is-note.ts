/** Footnotes and lists of sources: `"Data", Wiki, retrieved May 2014.` */
const SOURCE =
  /\b(?:retrieved|archived|accessed|abgerufen|archiviert|consulté|archivé|consultado|archivado|consultato|archiviato|geraadpleegd|gearchiveerd)\b[^.]{0,40}\b\d{4}\b|\bISBN\b|\bdoi:|^\W*\^|\(PDF\)|\bpp\. \d|\b[Vv]ol\. \d+, (?:[Nn]o|[Ii]ss)\./iu
/** Lines above an article of a wiki: what it is not about, and where the rest is. */
const HATNOTE =
  /\((?:disambiguation|Begriffsklärung|homonymie|desambiguación|disambigua|desambiguação|doorverwijspagina)\)|^(?:For (?:other uses|the [^.]{1,80}, see|a list of|more)\b|This (?:article|page) is about\b|Not to be confused with\b|Main articles?:|See also:?\b|Further information:|Dieser Artikel (?:behandelt|beschreibt|befasst)|Nicht zu verwechseln mit\b|Zu weiteren Bedeutungen|Weitere Bedeutungen sind\b|Hauptartikel:|Siehe auch\b|Pour (?:les articles homonymes|l’article|l'article)|Ne (?:doit pas être|pas) confond|Article(?:s)? détaillé|Voir aussi\b|Para otros usos|No (?:debe confundirse|confundir)|Artículo principal:|Véase también|Disambiguazione|Voce principale:|Vedi anche|Zie ook\b|Hoofdartikel:)|(?:redirects here|leitet hierher weiter|redirige aquí|redirige ici)\b/iu
/** What pages have for browsers without scripts. */
const MARKUP =
  /<\/?[a-z]+(?:\s[^<>]*)?\/?>|\b(?:style|src|href|width|height)="|\{[^{}:]{0,80}:[^{}]{0,200}\}/i
/** Words that titles do not write with a capital letter, beside those of one to three letters. */
const SMALL =
  /^(?:\p{Ll}{1,3}|from|with|into|over|eine[rsmn]?|sowie|pour|dans|sobre|para|della|delle|degli)$/u

/** Whether a sentence is no statement of its page: a hatnote, a citation, markup, or a title by its capital letters. */
export function isNote(sentence: string): boolean {
  return SOURCE.test(sentence) || HATNOTE.test(sentence) || MARKUP.test(sentence) || isTitle(sentence)
}

function isTitle(sentence: string): boolean {
  const words = sentence.match(/\p{L}[\p{L}\p{M}'’-]*/gu) ?? []
  const content = words.filter((word) => !SMALL.test(word))
  // Scripts without capital letters have no titles of this kind, and shouting is none.
  return content.length >= 3 && content.every((word) => /^\p{Lu}/u.test(word)) && /\p{Ll}/u.test(sentence)
}
