/// The page's icon: a bell.
enum PageIcon {
    static let source = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 36 36"><rect width="36" height="36" rx="10" fill="#4a3fd6"/>\
        <path d="M18 8a7 7 0 0 0-7 7v5l-2.2 3.4c-.5.8 0 1.6.9 1.6h16.600c.9 0 1.400-.8.9-1.600L25 20v-5a7 7 0 0 0-7-7z" \
        fill="#fff"/><path d="M15 27a3 3 0 0 0 6 0z" fill="#c9c4ff"/></svg>
        """
}
