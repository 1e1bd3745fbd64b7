/** A request and its answer; a test compares them. */
export const QR_EXAMPLE = {
  input: { data: 'HELLO', size: 128, margin: 4 },
  output: {
    data: 'HELLO',
    version: 1,
    ecc: 'M' as const,
    modules: 21,
    size: 128,
    margin: 4,
    svg: '<svg xmlns="http://www.w3.org/2000/svg" width="128" height="128" viewBox="0 0 29 29" shape-rendering="crispEdges"><rect width="29" height="29" fill="#ffffff"/><path fill="#000000" d="M4 4h7v1h-7zM12 4h1v1h-1zM16 4h1v1h-1zM18 4h7v1h-7zM4 5h1v1h-1zM10 5h1v1h-1zM12 5h2v1h-2zM15 5h1v1h-1zM18 5h1v1h-1zM24 5h1v1h-1zM4 6h1v1h-1zM6 6h3v1h-3zM10 6h1v1h-1zM12 6h1v1h-1zM16 6h1v1h-1zM18 6h1v1h-1zM20 6h3v1h-3zM24 6h1v1h-1zM4 7h1v1h-1zM6 7h3v1h-3zM10 7h1v1h-1zM13 7h4v1h-4zM18 7h1v1h-1zM20 7h3v1h-3zM24 7h1v1h-1zM4 8h1v1h-1zM6 8h3v1h-3zM10 8h1v1h-1zM12 8h3v1h-3zM16 8h1v1h-1zM18 8h1v1h-1zM20 8h3v1h-3zM24 8h1v1h-1zM4 9h1v1h-1zM10 9h1v1h-1zM14 9h3v1h-3zM18 9h1v1h-1zM24 9h1v1h-1zM4 10h7v1h-7zM12 10h1v1h-1zM14 10h1v1h-1zM16 10h1v1h-1zM18 10h7v1h-7zM13 11h1v1h-1zM15 11h2v1h-2zM4 12h1v1h-1zM7 12h6v1h-6zM14 12h1v1h-1zM16 12h2v1h-2zM20 12h1v1h-1zM22 12h3v1h-3zM6 13h2v1h-2zM11 13h1v1h-1zM14 13h1v1h-1zM16 13h1v1h-1zM18 13h1v1h-1zM20 13h4v1h-4zM4 14h3v1h-3zM8 14h1v1h-1zM10 14h3v1h-3zM17 14h2v1h-2zM20 14h1v1h-1zM6 15h1v1h-1zM8 15h2v1h-2zM14 15h2v1h-2zM21 15h1v1h-1zM5 16h2v1h-2zM10 16h1v1h-1zM12 16h1v1h-1zM18 16h1v1h-1zM21 16h4v1h-4zM12 17h5v1h-5zM19 17h1v1h-1zM21 17h1v1h-1zM4 18h7v1h-7zM12 18h1v1h-1zM14 18h1v1h-1zM16 18h5v1h-5zM22 18h3v1h-3zM4 19h1v1h-1zM10 19h1v1h-1zM12 19h1v1h-1zM15 19h3v1h-3zM19 19h3v1h-3zM4 20h1v1h-1zM6 20h3v1h-3zM10 20h1v1h-1zM12 20h1v1h-1zM14 20h3v1h-3zM18 20h2v1h-2zM21 20h2v1h-2zM24 20h1v1h-1zM4 21h1v1h-1zM6 21h3v1h-3zM10 21h1v1h-1zM12 21h5v1h-5zM20 21h3v1h-3zM4 22h1v1h-1zM6 22h3v1h-3zM10 22h1v1h-1zM14 22h1v1h-1zM18 22h1v1h-1zM21 22h4v1h-4zM4 23h1v1h-1zM10 23h1v1h-1zM13 23h2v1h-2zM17 23h2v1h-2zM20 23h1v1h-1zM22 23h2v1h-2zM4 24h7v1h-7zM12 24h1v1h-1zM15 24h1v1h-1zM22 24h2v1h-2z"/></svg>',
    png_base64:
      'iVBORw0KGgoAAAANSUhEUgAAAIAAAACAAQMAAAD58POIAAAABlBMVEX///8AAABVwtN+AAAAsUlEQVR42u3UQQrEMAgFUMFrCV79g9cS/mCmk06WMTCzqRRK30Jav6nIU38pJRnQIIk2QDTS6taHYFTTYBwBnMdQ1xHUV2k9aR9qyNVzmfoejDLHmvgeKLy6psYMextEU0zrzVK6oDVjiAekDbVy1VjsABw6UvLPxzXgHRbM1oO4A1fYZKzpb0EdQnj6HHoDrs1P/z4NDSChc196AMU95A6MkOARKW0YP0cbC9yFp35eL8qbGnv9FuqNAAAAAElFTkSuQmCC',
    data_uri:
      'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAIAAAACAAQMAAAD58POIAAAABlBMVEX///8AAABVwtN+AAAAsUlEQVR42u3UQQrEMAgFUMFrCV79g9cS/mCmk06WMTCzqRRK30Jav6nIU38pJRnQIIk2QDTS6taHYFTTYBwBnMdQ1xHUV2k9aR9qyNVzmfoejDLHmvgeKLy6psYMextEU0zrzVK6oDVjiAekDbVy1VjsABw6UvLPxzXgHRbM1oO4A1fYZKzpb0EdQnj6HHoDrs1P/z4NDSChc196AMU95A6MkOARKW0YP0cbC9yFp35eL8qbGnv9FuqNAAAAAElFTkSuQmCC',
    warnings: [],
    ts: '2026-11-21T10:00:00.000Z',
  },
}
