import abbreviations from './data/abbreviations.json' with { type: 'json' }

/** What the end of a sentence depends on in a language. */
export type SentenceWords = {
  /** In lower case, without full stops. */
  readonly abbreviations: ReadonlySet<string>
  /** Words that begin sentences much more often than they follow an abbreviation, in lower case. */
  readonly starters: ReadonlySet<string>
}

const STARTERS: Readonly<Record<string, string>> = {
  en: 'the a an this that these those it he she they we i you there here in on at by for from with as if when while after before since although but and so or however what who why how where his her their our my its one some many most all no not now then also once yet both such',
  de: 'der die das dem den des ein eine einer einem einen er sie es wir ihr ich man dies diese dieser dieses im in am an auf aus bei mit nach von vor zu zum zur für durch gegen ohne seit während wenn als ob weil da dass und oder aber doch auch so nun dann hier dort was wer wie warum wo sein seine ihre ihr unser kein keine nur noch bereits zudem außerdem jedoch trotz neben unter über danach dabei damit dazu',
  fr: 'le la les l un une des il elle ils elles on nous vous je ce cet cette ces c son sa ses leur leurs mon ma mes dans en sur à au aux de d du pour par avec sans après avant depuis si quand comme mais et ou donc or car que qui où il y puis ainsi alors aussi cependant enfin',
  es: 'el la los las un una unos unas él ella ellos ellas lo se su sus este esta estos estas ese esa eso esto en de del a al con por para sin según tras desde durante si cuando como aunque pero y o que quien donde no ya también además así entonces es son fue',
  it: 'il lo la i gli le l un uno una egli ella essi si suo sua suoi questo questa questi queste quello quella in nel nella di del della a al alla da dal con per su tra fra dopo prima se quando come ma e o che chi dove non già anche inoltre così poi è sono',
  pt: 'o a os as um uma uns umas ele ela eles elas se seu sua seus suas este esta estes estas esse essa isso isto em no na nos nas de do da ao à com por para sem segundo após desde durante quando como embora mas e ou que quem onde não já também além assim então é são foi',
  nl: "de het een 't hij zij ze wij we ik jij je u er dit dat deze die in op aan bij met van voor na door uit over tegen sinds als toen wanneer omdat maar en of dus ook zo nu dan hier daar wat wie waarom hoe waar zijn haar hun ons geen niet nog al",
  pl: 'w we na z ze do od po za o u i a ale że czy to ten ta te tam tu tak nie jest są był była on ona oni my ja ty gdy kiedy jeśli jak co kto gdzie dlaczego także również jednak więc oraz lecz',
  cs: 'v ve na s se z ze do od po za o u k ke a ale i že to ten ta ti tam tu tak není je jsou byl byla on ona oni my já ty když pokud jak co kdo kde proč také však tedy nebo',
  ru: 'в во на с со из до от по за о об у к и а но что это этот эта эти там тут так не нет он она они мы я вы когда если как кто где почему также однако или при для его её их',
  da: 'den det de en et han hun vi jeg du der her i på ved med af til for fra efter om under over siden hvis når da som men og så nu hvad hvem hvorfor hvordan hvor hans hendes deres vores ikke også dog',
  sv: 'den det de en ett han hon vi jag du där här i på vid med av till för från efter om under över sedan när då som men och så nu vad vem varför hur var hans hennes deras vår inte också dock',
}

const LISTS: Readonly<Record<string, string>> = abbreviations

/** Of each language, and under an empty name those of all together, for a text of an unknown one. */
const BY_LANGUAGE: ReadonlyMap<string, SentenceWords> = new Map(
  [...Object.keys(STARTERS), ''].map((lang) => [
    lang,
    { abbreviations: wordsOf(LISTS, lang), starters: wordsOf(STARTERS, lang) },
  ]),
)
const ALL = BY_LANGUAGE.get('') ?? { abbreviations: new Set<string>(), starters: new Set<string>() }

/** @param lang BCP 47; a language without lists is split as one that is unknown */
export function sentenceWordsOf(lang: string | null): SentenceWords {
  return BY_LANGUAGE.get(lang?.split(/[-_]/, 1)[0]?.toLowerCase() ?? '') ?? ALL
}

function wordsOf(lists: Readonly<Record<string, string>>, lang: string): ReadonlySet<string> {
  return new Set((lang === '' ? Object.values(lists).join(' ') : (lists[lang] ?? '')).split(' '))
}
