/** Words that would describe any image, in the languages of many pages. */
export const GENERIC_WORDS: ReadonlySet<string> = new Set(
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
export const IMAGE_PREFIX =
  /^(?:(?:an? |the )?(?:image|picture|photo|photograph|graphic|icon) (?:of|showing|shows)\b|(?:ein )?(?:bild|foto) (?:von|vom|des|der|mit|zeigt)\b|(?:une |l[’'])?(?:image|photo) (?:de|d[’']|du|des|montrant)|(?:una )?(?:imagen|foto) (?:de|del|que)\b|(?:un[’'])?(?:immagine|foto) (?:di|del|della|che)\b|(?:uma )?(?:imagem|foto) (?:de|do|da)\b|(?:een )?(?:afbeelding|foto) van\b)/iu
