//! `veloxel info` of texts: graphs, points, outlines and linear transforms.

use crate::workplace::Workplace;

#[test]
fn a_text_is_what_it_reads_as() {
    let place = Workplace::new();
    for (name, text, words) in [
        (
            "g.csv",
            "source,target,weight\n0,1,1.5\n1,2,2\n",
            &["holds    graph", "3 nodes, 2 edges", "1.5 to 2"][..],
        ),
        (
            "g.mtx",
            "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 1.5\n2 3 2\n",
            &["graph", "3 nodes, 2 arcs", "1.5 to 2"],
        ),
        (
            "p.csv",
            "x,y,name\n12.5,3,apex\nnan,nan,lost\n20,8,base\n",
            &["points of 2", "3 points, 1 without", "(12.5, 3) to (20, 8) pixels"],
        ),
        (
            "p.tsv",
            "r\ta\ts\n1\t2\t3\n4\t6\t-5\n",
            &["points of 3", "2 points", "(-4, -6, -5) to (-1, -2, 3) mm, LPS"],
        ),
        (
            "o.csv",
            "structure,frame,slice,x,y\nendo,0,1,2,2\nendo,0,1,8,2\nendo,0,1,5,9\nepi,0,1,1,1\nepi,0,1,9,1\nepi,0,1,5,11\n",
            &["outlines: endocardium, epicardium", "2 outlines on 1 slice, 1 frame"],
        ),
        ("p.seg", "0\n0\n2\n1\n", &["labels of the faces", "4 faces in 3 parts"]),
        ("t.txt", "# LPS\n1 0 0 5\n0 1 0 -2\n0 0 1 0\n0 0 0 1\n", &["linear transform"]),
    ] {
        place.write(name, text);
        let run = place.run(&["info", name]).succeeded();
        for word in words {
            assert!(run.stdout.contains(word), "{name}: {word} is missing from {}", run.stdout);
        }
        let json = place.run(&["info", name, "--json"]).succeeded().stdout;
        let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        assert!(json["reads_as"][0]["kind"].is_string(), "{json}");
    }
}

#[test]
fn a_text_without_a_head_may_be_several_things_or_none() {
    let place = Workplace::new();
    place.write("three.txt", "4 7 1.5\n9 3 2\n");
    let run = place.run(&["info", "three.txt"]).succeeded();
    assert!(run.stdout.contains("graph") && run.stdout.contains("points of 3"), "{}", run.stdout);
    assert!(run.stderr.contains("says not which"), "{}", run.stderr);
    place.write("words.txt", "nothing of that kind\n");
    place.run(&["info", "words.txt"]).failed_with(&["words.txt: no graph", "no 2-D points", "no outlines"]);
    place.run(&["info", "missing.csv"]).failed_with(&["cannot open", "missing.csv"]);
}

#[test]
fn a_folder_of_texts_alone_is_listed() {
    let place = Workplace::new();
    for folder in ["lines", "both", "neither"] {
        std::fs::create_dir(place.path(folder)).expect("a folder is made");
    }
    place.write("lines/b-2.txt", "1 2\n3 4\n");
    place.write("lines/b-10.txt", "1 2\n3 4\n5 6\n");
    let run = place.run(&["info", "lines"]).succeeded();
    let at = |word: &str| run.stdout.find(word).expect(word);
    assert!(at("b-2.txt") < at("b-10.txt") && run.stdout.contains("graph or points"), "{}", run.stdout);
    // Beside images texts are not of them.
    place.write("both/notes.txt", "1 2\n");
    place.write("both/a.pgm", "P2 2 1 9 1 2\n");
    assert!(!place.run(&["info", "both"]).succeeded().stdout.contains("notes"));
    place.write("neither/read.me", "words\n");
    place.run(&["info", "neither"]).failed_with(&["no file to read there"]);
}
