// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <clocale>
#include <nlohmann/json.hpp>

#include "error.h"
#include "study/export/compression.h"

using namespace straightedge;
using namespace straightedge::study;

namespace {

// GPT-2's sizes (768 wide, 3,072 in the middle: 2 * 768 * 3072 + 3072 + 768; a map: 768^2 + 768), and
// PROTOCOL.md's numbers of SmolLM2's block 11.
Run example() {
    Run run;
    run.header.model = "gpt2";
    run.header.corpus = "text.txt";
    run.header.ffnParameters = 4'722'432;
    run.header.modelParameters = 124'439'808;
    run.header.evaluationWindows = 120;
    run.state = RunState::Finished;
    run.basePpl = 24.31;
    run.basePplSe = 0.52;
    BlockResult block{.block = 11, .values = {}};
    block.values.set(Metric::R2Lin, 0.976);
    block.values.set(Metric::MassiveRows, 119);
    block.values.set(Metric::MassiveShare, 0.987);
    block.values.set(Metric::R2Typical, 0.522);
    block.values.set(Metric::R2LinOnTypical, -88.9);
    block.replacements = {
        {.kind = ReplacementKind::Linear,
         .parameters = 590'592,
         .r2 = 0.976,
         .rmse = 0.1 + 0.2,
         .cosine = 0.9,
         .dppl = 316.2345,
         .dpplSe = 4.08},
        {.kind = ReplacementKind::BalancedHalf,
         .parameters = 590'592,
         .r2 = 0.61,
         .dppl = 9.4,
         .dpplSe = 0.3,
         .kept = true},
        {.kind = ReplacementKind::Switched, .parameters = 592'129},
    };
    run.blocks.push_back(block);
    return run;
}

CompressionRow rowWith(double r2, std::optional<double> dppl, std::optional<double> basePpl) {
    Run run = example();
    run.basePpl = basePpl;
    run.blocks[0].replacements[0].r2 = r2;
    run.blocks[0].replacements[0].dppl = dppl;
    return compressionRows(run)[0];
}

QStringList linesOf(const std::string& text) {
    return QString::fromStdString(text).split('\n');
}

bool contains(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

class TestCompression : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void gpt2IsCompressedEightfold() {
        const auto rows = compressionRows(example());
        QCOMPARE(rows.size(), 3U);
        QCOMPARE(*rows[0].compression, 4'722'432.0 / 590'592.0);
        QCOMPARE(*rows[0].savedShare, (4'722'432.0 - 590'592.0) / 124'439'808.0);
        const auto table = compressionTable(example());
        QCOMPARE(table.size(), 4U);
        QCOMPARE(table[1][1], std::string("linear"));
        QCOMPARE(table[1][2], std::string("590,592"));
        QCOMPARE(table[1][3], std::string("×8.0"));
        QCOMPARE(table[1][4], std::string("3.3 %"));
        QCOMPARE(table[3][8], std::string("–"));
    }

    void unknownSizesAreUndefined() {
        Run run = example();
        run.header.ffnParameters = run.header.modelParameters = 0;
        const auto row = compressionRows(run)[0];
        QVERIFY(!row.compression && !row.savedShare);
        run = example();
        run.blocks[0].replacements[0].parameters = 0;
        QVERIFY(!compressionRows(run)[0].compression);
    }

    void valueAndErrorAreRoundedTogether_data() {
        QTest::addColumn<double>("value");
        QTest::addColumn<double>("error");
        QTest::addColumn<QString>("text");
        QTest::newRow("one decimal") << 316.2345 << 4.08 << "+316.2 ± 4.1";
        QTest::newRow("negative") << -0.1234 << 0.0524 << "-0.123 ± 0.052";
        QTest::newRow("rounds up") << 0.5 << 0.0996 << "+0.50 ± 0.10";
        QTest::newRow("large") << 1234.4 << 312.0 << "+1234 ± 312";
        QTest::newRow("tiny") << 1e-9 << 1e-12 << "+0.000000 ± 0.000000";
        QTest::newRow("exact") << 2.0 << 0.0 << "+2.00 ± 0.00";
        QTest::newRow("no error") << 9.4 << -1.0 << "+9.40";
    }
    void valueAndErrorAreRoundedTogether() {
        QFETCH(double, value);
        QFETCH(double, error);
        QFETCH(QString, text);
        Run run = example();
        run.blocks[0].replacements[0].dppl = value;
        run.blocks[0].replacements[0].dpplSe = error < 0 ? std::nullopt : std::optional(error);
        QCOMPARE(QString::fromStdString(compressionTable(run)[1][8]), text);
    }

    void costlyBlocksSayWhy() {
        const std::string reason = costlyReason(compressionRows(example())[0]);
        for (const char* part : {"0.976", "+316.2 ± 4.1", "119 massive rows", "98.7 %", "0.522", "-88.900"})
            QVERIFY2(contains(reason, part), reason.c_str());
        const auto notes = compressionNotes(example());
        QCOMPARE(notes.size(), 1U);
        QVERIFY(contains(notes[0], "block 11, linear"));
        QCOMPARE(compressionTable(example())[1][9], std::string("†"));
        QCOMPARE(compressionTable(example())[2][9], std::string("kept"));
    }

    // A healed figure never stands alone: its fair baseline is in the next column, in every format.
    void healedFiguresHaveTheirBaselineBesideThem() {
        Run run = example();
        run.blocks[0].replacements[0].dpplHealed = 3.14159;
        run.blocks[0].replacements[0].dpplHealedSe = 0.25;
        run.blocks[0].values.set(Metric::DpplHealedOriginal, -1.5);
        const auto table = compressionTable(run);
        QCOMPARE(table[0][9], std::string("ΔPPL healed"));
        QCOMPARE(table[1][9], std::string("+3.14 ± 0.25"));
        QCOMPARE(table[1][10], std::string("-1.50"));
        QCOMPARE(table[2][9], std::string("–"));
        for (const auto& row : table)
            QCOMPARE(row.size(), 12U);
        QVERIFY(contains(toMarkdown({&run, 1}), "| +3.14 ± 0.25 | -1.50 |"));
        QVERIFY(contains(toLatex({&run, 1}), "tabular}{rlrrrrrrrrrl}"));
        QVERIFY(contains(toCompressionCsv({&run, 1}), ",3.14159,0.25,-1.5,"));
    }

    void onlyCostlySwapsOfHighR2AreMarked() {
        const auto costly = [](const CompressionRow& row) { return !costlyReason(row).empty(); };
        QVERIFY(costly(rowWith(0.8, 1.01, 20)));
        QVERIFY(!costly(rowWith(0.8, 1.0, 20)));
        QVERIFY(!costly(rowWith(0.799, 300, 20)));
        QVERIFY(!costly(rowWith(0.99, 1.99, 100)));
        QVERIFY(costly(rowWith(0.99, 2.01, 100)));
        QVERIFY(costly(rowWith(0.99, 1.01, std::nullopt)));
        QVERIFY(!costly(rowWith(0.99, std::nullopt, 20)));
        QVERIFY(!costly(rowWith(0.99, -5, 20)));
        CompressionRow row = rowWith(0.9, 3, 20);
        row.values = {};
        QVERIFY(!contains(costlyReason(row), "massive"));  // nothing is known of that
        row.values.set(Metric::MassiveRows, 0);
        QVERIFY(contains(costlyReason(row), "no row is massive"));
    }

    void csvKeepsEveryDigitInAnyLocale() {
        Run run = example();
        run.header.model = "a \"quoted\", model";
        for (const char* locale : {"C", "de_DE.UTF-8"}) {
            std::setlocale(LC_ALL, locale);
            const std::string csv = toCompressionCsv({&run, 1});
            std::setlocale(LC_ALL, "C");
            const QStringList lines = linesOf(csv);
            QCOMPARE(lines.size(), 1 + 3 + 1);
            QCOMPARE(lines[0],
                     QStringLiteral("model,corpus,block,replacement,parameters,compression,saved_share,"
                                    "r2,r2_centred,cosine,rmse,base_ppl,dppl,dppl_se,tail_dppl,kept,"
                                    "dppl_healed,dppl_healed_se,dppl_healed_original,r2_lin,massive_share,r2_typical,costly"));
            QVERIFY2(lines[1].startsWith("\"a \"\"quoted\"\", model\",text.txt,11,linear,590592,7.996"),
                     qPrintable(lines[1]));
            QVERIFY2(lines[1].contains(
                         ",0.976,,0.9,0.30000000000000004,24.31,316.2345,4.08,,false,,,,0.976,0.987,0.522,"),
                     qPrintable(lines[1]));
            QVERIFY(lines[2].contains(",true,"));
            QVERIFY(lines[3].contains(",switched,592129,"));
            QVERIFY(lines[3].endsWith(",,,,,24.31,,,,false,,,,0.976,0.987,0.522,"));
        }
    }

    void jsonReadsBack() {
        const Run runs[] = {example(), example()};
        const auto json = nlohmann::json::parse(toCompressionJson(runs));
        QCOMPARE(json["rows"].size(), 6U);
        const auto& row = json["rows"][0];
        QCOMPARE(row["compression"].get<double>(), 4'722'432.0 / 590'592.0);
        QCOMPARE(row["rmse"].get<double>(), 0.1 + 0.2);
        QVERIFY(row["r2_centred"].is_null());
        QVERIFY(!row["costly"].get<std::string>().empty());
        QVERIFY(json["rows"][5]["dppl"].is_null());
    }

    void markdownIsATable() {
        Run run = example();
        run.header.model = "a|b_c";
        const std::string text = toMarkdown({&run, 1});
        QVERIFY(contains(text, "### a\\|b\\_c on text.txt: base perplexity 24.31 ± 0.52 on 120 windows"));
        int rows = 0;
        for (const QString& line : linesOf(text))
            if (line.startsWith('|')) {
                ++rows;
                QCOMPARE(line.count('|'), 11);
            }
        QCOMPARE(rows, 1 + 1 + 3);
        QVERIFY(contains(text, "| +316.2 ± 4.1 | † |"));
        QVERIFY(contains(text, "\n† block 11, linear: R² is 0.976"));
    }

    void latexIsEscaped() {
        Run run = example();
        run.header.model = "a_b & 50% {x} \\y ~^#$ <z>";
        const std::string text = toLatex({&run, 1});
        QVERIFY2(
            contains(text,
                     "\\caption{a\\_b \\& 50\\% \\{x\\} \\textbackslash{}y "
                     "\\textasciitilde{}\\textasciicircum{}\\#\\$ \\textless{}z\\textgreater{} on text.txt: "
                     "base perplexity 24.31 $\\pm$ 0.52 on 120 windows.}"),
            text.c_str());
        for (const char* part : {"\\usepackage{booktabs}", "\\toprule", "\\midrule", "\\bottomrule",
                                 "11 & linear & 590,592 & $\\times$8.0 & 3.3 \\% & 0.976 & 0.900 & 0.3000 & "
                                 "+316.2 $\\pm$ 4.1 & $^\\dagger$ \\\\\n",
                                 " & balanced $\\frac12$ & "})
            QVERIFY2(contains(text, part), part);
        for (const QString& line : linesOf(text))
            QVERIFY(line.startsWith("11 &") ? line.count(" & ") == 9 : true);
        run.blocks[0].replacements[0].dppl = -0.25;
        run.blocks[0].replacements[0].dpplSe = 0.1;
        QVERIFY(contains(toLatex({&run, 1}), "& $-$0.25 $\\pm$ 0.10 &"));
        for (const char c : toLatex({&run, 1}))
            QVERIFY(static_cast<unsigned char>(c) < 0x80);  // any LaTeX engine reads it
    }

    void filesGoByTheirEnding() {
        const QTemporaryDir folder;
        const std::filesystem::path place = folder.path().toStdString();
        const Run run = example();
        const std::pair<const char*, std::string> expected[] = {{"t.csv", toCompressionCsv({&run, 1})},
                                                                {"t.json", toCompressionJson({&run, 1})},
                                                                {"t.md", toMarkdown({&run, 1})},
                                                                {"t.tex", toLatex({&run, 1})}};
        for (const auto& [name, content] : expected) {
            writeCompression({&run, 1}, place / name);
            QFile file(folder.filePath(name));
            QVERIFY(file.open(QIODevice::ReadOnly));
            QCOMPARE(file.readAll().toStdString(), content);
        }
        QVERIFY_THROWS_EXCEPTION(Error, checkCompressionFile(place / "t.xlsx"));
        QVERIFY_THROWS_EXCEPTION(Error, checkCompressionFile(place / "missing" / "t.csv"));
    }
};

QTEST_GUILESS_MAIN(TestCompression)
#include "tst_compression.moc"
