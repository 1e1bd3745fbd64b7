export type WordingIssue = {
  readonly type: 'filename_alt' | 'generic_alt' | 'long_alt'
  readonly message: string
  readonly severity: 'serious' | 'moderate' | 'minor'
}

type Wording = {
  readonly text: string
  /** The image's URLs, as the page writes them. */
  readonly sources: readonly string[]
  readonly maxLength: number
}

/** Words that would describe any image, in the languages of many pages. */
const GENERIC_WORDS: ReadonlySet<string> = new Set(
  `image|img|images|photo|photograph|photos|pic|picture|pictures|graphic|graphics|illustration|drawing|logo|icon|icons
  |banner|thumbnail|thumb|avatar|spacer|placeholder|untitled|unnamed|blank|empty|null|undefined|none|alt|alt text
  |alternative text|figure|chart|diagram|screenshot|screen shot|background|hero|hero image|header image|featured image
  |cover|cover image|main image|stock photo|an image|a picture|a photo|the image|decorative|divider|bullet|arrow|button
  |no description|image description|description|default|temp|test|todo|n a
  |bild|bilder|foto|fotos|grafik|abbildung|symbol|symbolbild|platzhalter|ohne titel|titelbild|hintergrund|logo bild
  |vorschaubild|zeichnung|aufnahme
  |imagen|imagenes|imágenes|fotografía|fotografia|gráfico|grafico|ilustración|dibujo|icono|ícono|logotipo|sin título
  |image sans titre|photographie|graphique|dessin|icône|icone|logotype|sans titre|vignette|bannière|illustration image
  |immagine|immagini|grafica|disegno|icona|senza titolo|segnaposto|illustrazione
  |imagem|imagens|figura|desenho|ícone|sem título|ilustração
  |afbeelding|afbeeldingen|plaatje|pictogram|zonder titel|illustratie|tekening
  |obraz|obrazek|zdjęcie|grafika|ikona|bez tytułu|ilustracja
  |obrázek|fotka|bez názvu|bild av|bilde|billede|ikon|kuva|kép|fénykép|resim|fotoğraf|simge|görsel
  |изображение|картинка|фото|фотография|логотип|иконка|рисунок|без названия
  |зображення|світлина
  |图片|图像|照片|图标|插图|圖片|圖像|相片|圖示|画像|写真|イメージ|アイコン|ロゴ|イラスト|이미지|사진|그림|아이콘|로고
  |صورة|شعار|أيقونة|תמונה|לוגו|סמל|εικόνα|φωτογραφία|चित्र|छवि|hình ảnh|ảnh|gambar|รูปภาพ`
    .split('|')
    .map((word) => word.trim()),
)

/** Openings that screen readers announce anyway. */
const IMAGE_PREFIX =
  /^(?:(?:an? |the )?(?:image|picture|photo|photograph|graphic|icon) (?:of|showing|shows)\b|(?:ein )?(?:bild|foto) (?:von|vom|des|der|mit|zeigt)\b|(?:une |l[’'])?(?:image|photo) (?:de|d[’']|du|des|montrant)|(?:una )?(?:imagen|foto) (?:de|del|que)\b|(?:un[’'])?(?:immagine|foto) (?:di|del|della|che)\b|(?:uma )?(?:imagem|foto) (?:de|do|da)\b|(?:een )?(?:afbeelding|foto) van\b)/iu

/** What is wrong with the wording of a text alternative; null if nothing is. */
export function checkWording({ text, sources, maxLength }: Wording): WordingIssue | null {
  if (isFileName(text, sources)) {
    const message = 'The text alternative is a file name; describe what the image shows.'
    return { type: 'filename_alt', message, severity: 'serious' }
  }
  if (isGeneric(text)) {
    const message = `"${text}" describes any image; describe what this one shows.`
    return { type: 'generic_alt', message, severity: 'moderate' }
  }
  if (IMAGE_PREFIX.test(text)) {
    const message = 'Screen readers already announce an image; begin with what it shows.'
    return { type: 'generic_alt', message, severity: 'minor' }
  }
  const letters = [...text].length
  if (letters <= maxLength) return null
  const message = `The text alternative has ${letters} characters (limit ${maxLength}); move the details into the page text.`
  return { type: 'long_alt', message, severity: 'minor' }
}

const EXTENSION = /\.(?:jpe?g|png|gif|webp|avif|svg|bmp|tiff?|ico|heic|jfif)$/i
/**
 * Names that cameras, phones, editors and uploads generate: IMG_2837, DSC00012, Screenshot 2026-01-02,
 * hero-final-v2, hashes.
 */
const MACHINE_NAME =
  /^(?:(?:img|dsc[nf]?|pict?|image|photo|screen[ _-]?shot|scan|wp|pxl|mvimg|vid|snap|untitled|unnamed|download|capture)[ _-]?\(?\d{2,}[\w() -]*|[0-9a-f]{16,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{8,}(?:[_x-]\d+)*|[a-z0-9]+(?:[-_][a-z0-9]+)*[-_](?:v\d+|final|copy|\d+x\d+|min|thumb|thumbnail|scaled|\d{5,}))$/i

/** The usual file name limit of file systems. */
const MAX_NAME_LENGTH = 255

function isFileName(text: string, sources: readonly string[]): boolean {
  const written = text.trim()
  if (written.length > MAX_NAME_LENGTH) return false
  if (EXTENSION.test(written) && !/\s\S+\s/.test(written)) return true
  if (MACHINE_NAME.test(written)) return true
  // Several words joined as in a file name, and equal to the name of this very file.
  const isJoined = /^[^\s]+[-_][^\s]+$/.test(written)
  return isJoined && sources.some((source) => nameOf(source) === written.toLowerCase())
}

/** The last path segment, without extension, in lower case. */
function nameOf(source: string): string {
  const path = source.split(/[?#]/)[0] ?? ''
  const last = path.split('/').at(-1) ?? ''
  return decode(last).replace(EXTENSION, '').toLowerCase()
}

/** Without percent encoding, if it is valid. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A generic word, ignoring digits and punctuation; or a single letter or sign. */
function isGeneric(text: string): boolean {
  const words = text
    .toLowerCase()
    .normalize('NFC')
    .replace(/[\d\p{P}\p{S}_]+/gu, ' ')
    .trim()
    .replace(/\s+/g, ' ')
  // A single Han character can be a meaningful word.
  if ([...text.trim()].length === 1) return !/\p{Script=Han}/u.test(text)
  return words === '' ? false : GENERIC_WORDS.has(words)
}
