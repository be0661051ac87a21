//! Pictures as text: the few shapes that this command's pictures consist of.
//!
//! What: [`Svg`] collects shapes, and makes a document of them. Coordinates are pixels from the
//! upper left corner; they are written with two digits.
//! Step before: `pamir place --plot`, `pamir report --plot`. Step after: a file for a browser.
//! Invariant: texts are escaped, so whatever a rank or a file is called, the document is one.

use std::fmt::Write as _;

/// A picture in the making.
#[derive(Debug)]
pub struct Svg {
    text: String,
}

impl Svg {
    /// An empty, white picture.
    pub fn new(width: f64, height: f64) -> Self {
        Self {
            text: begin(width, height),
        }
    }

    /// A filled rectangle; what `title` says is shown to whoever points at it.
    pub fn bar(&mut self, corner: (f64, f64), size: (f64, f64), colour: &str, title: &str) {
        let title = if title.is_empty() {
            String::new()
        } else {
            format!("<title>{}</title>", escaped(title))
        };
        let _ = writeln!(
            self.text,
            "<rect x=\"{:.2}\" y=\"{:.2}\" width=\"{:.2}\" height=\"{:.2}\" fill=\"{colour}\">{title}</rect>",
            corner.0, corner.1, size.0, size.1
        );
    }

    /// A straight line.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), colour: &str) {
        let _ = writeln!(
            self.text,
            "<line x1=\"{:.2}\" y1=\"{:.2}\" x2=\"{:.2}\" y2=\"{:.2}\" stroke=\"{colour}\"/>",
            from.0, from.1, to.0, to.1
        );
    }

    /// A line through points.
    pub fn curve(&mut self, points: impl Iterator<Item = (f64, f64)>, colour: &str) {
        self.text.push_str("<polyline fill=\"none\" points=\"");
        for (x, y) in points {
            let _ = write!(self.text, "{x:.2},{y:.2} ");
        }
        let _ = writeln!(self.text, "\" stroke=\"{colour}\"/>");
    }

    /// A word or two; `anchor` is start, middle or end.
    pub fn label(&mut self, at: (f64, f64), anchor: &str, text: &str) {
        let _ = writeln!(
            self.text,
            "<text x=\"{:.2}\" y=\"{:.2}\" text-anchor=\"{anchor}\">{}</text>",
            at.0,
            at.1,
            escaped(text)
        );
    }

    /// The document.
    pub fn finish(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }
}

/// How a document begins: its size, its letters, and a white ground.
pub fn begin(width: f64, height: f64) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_has_its_shapes_and_no_loose_brackets() {
        let mut svg = Svg::new(10.0, 20.0);
        svg.bar((1.0, 2.0), (3.0, 4.0), "red", "a<b");
        svg.bar((1.0, 2.0), (3.0, 4.0), "red", "");
        svg.line((0.0, 0.0), (1.0, 1.0), "#000");
        svg.curve([(0.0, 1.0), (2.0, 3.5)].into_iter(), "#000");
        svg.label((5.0, 5.0), "middle", "x & y");
        let text = svg.finish();
        assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"));
        assert_eq!(text.matches("<rect").count(), 3);
        assert!(text.contains("<title>a&lt;b</title>") && text.contains("x &amp; y"));
        assert!(text.contains("points=\"0.00,1.00 2.00,3.50 \""));
    }
}
